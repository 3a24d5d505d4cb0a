import type { Answer, Way } from "./sign-request.ts";

/**
 * What this tab knows of a request beyond the service: that the wallet was asked and has not answered, and what it
 * answered. It outlives a reload, so that nobody signs twice.
 */
export type Note = {
  /** Milliseconds since 1970 at which the wallet was asked, or answered. */
  at: number;
  asked?: Way;
  answer?: Answer;
  /** Whether the service has the answer. */
  isDelivered?: boolean;
};

type Memory = Pick<Storage, "getItem" | "setItem" | "removeItem">;

const keyOf = (id: string) => `asset-registry-sign:${id}`;

export function readNote(id: string, memory: Memory | undefined = tabMemory()): Note | undefined {
  try {
    const text = memory?.getItem(keyOf(id)) ?? null;
    const note = text === null ? undefined : (JSON.parse(text) as Note);
    return typeof note?.at === "number" ? note : undefined;
  } catch {
    return undefined;
  }
}

export function keepNote(id: string, note: Note | undefined, memory: Memory | undefined = tabMemory()): void {
  try {
    if (note === undefined) memory?.removeItem(keyOf(id));
    else memory?.setItem(keyOf(id), JSON.stringify(note));
  } catch {
    // It holds until the page is left.
  }
}

function tabMemory(): Memory | undefined {
  try {
    return globalThis.sessionStorage;
  } catch {
    return undefined; // storage may be forbidden
  }
}
