/** The integrator's API key, in the memory of this tab alone: it is forgotten when the page is left or loaded anew. */
let held: string | undefined;
const listeners = new Set<() => void>();

export const apiKey = {
  get: (): string | undefined => held,
  set(key: string | undefined): void {
    held = key;
    for (const listener of listeners) listener();
  },
  /** @returns what ends the subscription */
  subscribe(listener: () => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
};

/** Longest key in characters. */
const longest = 512;

/** A key as it was pasted, without the white space around it; undefined where a header cannot carry it. */
export function readApiKey(text: string): string | undefined {
  const key = text.trim();
  return /^[\x21-\x7e]+$/.test(key) && key.length <= longest ? key : undefined;
}
