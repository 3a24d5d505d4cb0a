import { readPath } from "./path.ts";
import { decodeRlp, isBytes, type RlpItem, rlpLength } from "./rlp.ts";

/** What a node says of its child: none, the Keccak-256 of its RLP, or the child itself, where its RLP is shorter than that. */
export type Reference =
  | { kind: "none" }
  | { kind: "hash"; hash: Uint8Array }
  | { kind: "embedded"; node: TrieNode };

/** A node of a trie whose keys all have one length, so that none ends at a branch. */
export type TrieNode =
  | { kind: "branch"; children: readonly RlpItem[] }
  | { kind: "extension"; path: number[]; child: RlpItem }
  | { kind: "leaf"; path: number[]; value: Uint8Array };

const hashBytes = 32;

/** @returns undefined where the bytes are no node */
export function readNode(bytes: Uint8Array): TrieNode | undefined {
  const item = decodeRlp(bytes);
  return item === undefined ? undefined : nodeOf(item);
}

/** @returns undefined where the item is no reference */
export function readReference(item: RlpItem): Reference | undefined {
  if (isBytes(item)) {
    if (item.length === 0) return { kind: "none" };
    return item.length === hashBytes ? { kind: "hash", hash: item } : undefined;
  }
  const node = rlpLength(item) < hashBytes ? nodeOf(item) : undefined;
  return node && { kind: "embedded", node };
}

function nodeOf(item: RlpItem): TrieNode | undefined {
  if (isBytes(item)) return undefined;
  if (item.length === 17) {
    const value = item[16];
    return isBytes(value) && value.length === 0 ? { kind: "branch", children: item.slice(0, 16) } : undefined;
  }
  const [encoded, rest] = item;
  if (item.length !== 2 || !isBytes(encoded) || rest === undefined) return undefined;
  const path = readPath(encoded);
  if (path === undefined) return undefined;
  if (!path.isLeaf) {
    return path.nibbles.length > 0 ? { kind: "extension", path: path.nibbles, child: rest } : undefined;
  }
  return isBytes(rest) && rest.length > 0 ? { kind: "leaf", path: path.nibbles, value: rest } : undefined;
}
