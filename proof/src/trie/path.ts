/** Half bytes of a key, the high half first. */
export function nibblesOf(bytes: Uint8Array): number[] {
  return Array.from(bytes).flatMap((byte) => [byte >> 4, byte & 15]);
}

/** The part of a key that a node of two items holds, and whether the node is a leaf. */
export type Path = { isLeaf: boolean; nibbles: number[] };

/**
 * Reads a path in its compact form (Yellow Paper, appendix C): a flag, a zero where the path is even, its nibbles.
 * @returns undefined where the bytes are none
 */
export function readPath(bytes: Uint8Array): Path | undefined {
  const [flag, ...rest] = nibblesOf(bytes);
  if (flag === undefined || flag > 3) return undefined;
  const isLeaf = flag >= 2;
  if (flag % 2 === 1) return { isLeaf, nibbles: rest };
  const [padding, ...nibbles] = rest;
  return padding === 0 ? { isLeaf, nibbles } : undefined;
}
