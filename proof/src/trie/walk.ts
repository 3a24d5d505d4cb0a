import { equal, keccak256 } from "../bytes/bytes.ts";
import { fromHex } from "../bytes/hex.ts";
import { type Reference, readNode, readReference, type TrieNode } from "./node.ts";
import { nibblesOf } from "./path.ts";

/**
 * What a list of nodes proves of a key: its value, that the trie has none, or nothing. `why` completes the sentence
 * "the proof is broken: …".
 */
export type Walk =
  | { outcome: "present"; value: Uint8Array }
  | { outcome: "absent" }
  | { outcome: "broken"; why: string };

/** Root of a trie without a key: Keccak-256 of the empty string in RLP. */
const emptyRoot = fromHex("0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421") as Uint8Array;

/** The empty string in RLP, which some nodes answer for an empty trie, and others no nodes at all. */
const isEmptyNode = (node: Uint8Array | undefined): boolean => node?.length === 1 && node[0] === 0x80;

/**
 * Walks a Merkle Patricia trie from its root to a key, by the nodes on the way: all of them, in their order, and no
 * others. Each step uses up a part of the key, so that the walk ends.
 */
export function walkTrie(root: Uint8Array, key: Uint8Array, nodes: readonly Uint8Array[]): Walk {
  if (nodes.length === 0 || (nodes.length === 1 && isEmptyNode(nodes[0]))) {
    return equal(root, emptyRoot)
      ? { outcome: "absent" }
      : broken("it has no nodes, and the trie is not empty");
  }
  let used = 0;
  let rest = nibblesOf(key);
  let reference: Reference = { kind: "hash", hash: root };
  for (;;) {
    if (reference.kind === "none") return ended({ outcome: "absent" });
    const node = reference.kind === "hash" ? take(reference.hash) : reference.node;
    if (typeof node === "string") return broken(node);
    const step = stepInto(node, rest);
    if (step === undefined) return broken(`node ${used} has a form that no node has on this key's way`);
    if ("outcome" in step) return ended(step);
    ({ reference, rest } = step);
  }

  /** The next node of the list, or why it is not the one that is referred to. */
  function take(hash: Uint8Array): TrieNode | string {
    const bytes = nodes[used];
    if (bytes === undefined) return `it ends behind node ${used}, before the key does`;
    used += 1;
    if (!equal(keccak256(bytes), hash)) {
      return `node ${used} is not the one that ${used === 1 ? "the root" : `node ${used - 1}`} refers to`;
    }
    return readNode(bytes) ?? `node ${used} is no node of a trie`;
  }

  function ended(walk: Walk): Walk {
    return used === nodes.length ? walk : broken(`it goes on behind node ${used}, where the key ends`);
  }
}

type Step =
  | { reference: Reference; rest: number[] }
  | { outcome: "present"; value: Uint8Array }
  | { outcome: "absent" };

/** @returns undefined where the node cannot stand on the way of a key of this length */
function stepInto(node: TrieNode, rest: number[]): Step | undefined {
  if (node.kind === "branch") {
    const child = node.children[rest[0] ?? -1];
    const reference = child && readReference(child);
    return reference && { reference, rest: rest.slice(1) };
  }
  const { path } = node;
  const isOnTheWay = path.every((nibble, at) => nibble === rest[at]);
  if (node.kind === "leaf") {
    if (path.length !== rest.length) return undefined;
    return isOnTheWay ? { outcome: "present", value: node.value } : { outcome: "absent" };
  }
  if (path.length >= rest.length) return undefined;
  if (!isOnTheWay) return { outcome: "absent" };
  const reference = readReference(node.child);
  if (reference === undefined || reference.kind === "none") return undefined;
  return { reference, rest: rest.slice(path.length) };
}

const broken = (why: string): Walk => ({ outcome: "broken", why });
