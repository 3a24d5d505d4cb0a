import { createMerkleProof, createMPT, type MerklePatriciaTrie } from "@ethereumjs/mpt";
import { bytesToHex, type Hex, hexToBytes } from "viem";

/** A trie made by another hand than the code under test. Keys are used as they are. */
export type TestTrie = {
  root: Uint8Array;
  /** Nodes on the way to a key, as `eth_getProof` gives them. */
  prove(key: Uint8Array): Promise<Uint8Array[]>;
  /** Nodes as the library gives them: those that are embedded in others, too. */
  library: MerklePatriciaTrie;
};

export async function trieOf(
  entries: Iterable<readonly [key: Uint8Array, value: Uint8Array]>,
): Promise<TestTrie> {
  const library = await createMPT();
  for (const [key, value] of entries) await library.put(key, value);
  return {
    root: library.root(),
    library,
    async prove(key) {
      const nodes = await createMerkleProof(library, key);
      // The rest stand inside the node before them.
      return nodes.filter((node, index) => index === 0 || node.length >= 32);
    },
  };
}

export const bytes = (hex: string): Uint8Array => hexToBytes(hex as Hex);
export const hex = (value: Uint8Array): Hex => bytesToHex(value);
