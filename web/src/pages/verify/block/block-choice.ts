/** Where the visitor's own hash of a proof's block comes from. */
export type BlockChoice =
  | { from: "nodes"; urls: readonly string[] }
  | { from: "hash"; hash: string }
  | { from: "nowhere" };

/** Most nodes that are asked. */
export const mostNodes = 10;

/** The URLs of nodes, one a line, or the first line that is none, or how many are too many: none is left out unsaid. */
export function readNodeUrls(text: string): { urls: string[] } | { wrong: string } | { tooMany: number } {
  const lines = text.split("\n").map((line) => line.trim());
  const urls = [...new Set(lines.filter((line) => line !== ""))];
  const wrong = urls.find((url) => !isNodeUrl(url));
  if (wrong !== undefined) return { wrong };
  // One node in two spellings agrees with itself.
  const nodes = [...new Map(urls.map((url) => [new URL(url).href, url])).values()];
  return nodes.length > mostNodes ? { tooMany: nodes.length } : { urls: nodes };
}

function isNodeUrl(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url?.protocol === "https:" || url?.protocol === "http:";
}

/** A block's hash as it was pasted; undefined where it is none. */
export function readBlockHash(text: string): string | undefined {
  const [, digits] = /^(?:0x)?([0-9a-f]{64})$/i.exec(text.trim()) ?? [];
  return digits && `0x${digits.toLowerCase()}`;
}
