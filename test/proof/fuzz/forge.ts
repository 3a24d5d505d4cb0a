import { keccak_256 } from "@noble/hashes/sha3.js";
import type { Proof } from "../../../proof/src/proof.ts";
import type { Random } from "../../simulation/random.ts";
import { pickNodes } from "./places.ts";

const hashOf = (hex: string) => Buffer.from(keccak_256(Buffer.from(hex.slice(2), "hex"))).toString("hex");

/**
 * Changes a byte of a node, and puts new hashes wherever the old ones stand, up to the block's, as a liar would: the
 * document then contradicts nothing but the hash that the verifier trusts.
 */
export function forge(proof: Proof, random: Random, trustedHash: string): void {
  const nodes = pickNodes(proof, random);
  const at = random.whole(0, nodes.length - 1);
  const old = nodes[at] as string;
  // Most values stand at the end of a leaf.
  const place = random.chance(0.5) ? old.length - random.whole(1, 30) : random.whole(2, old.length - 1);
  const changed = `${old.slice(0, place)}${random.pick([..."0123456789abcdef"])}${old.slice(place + 1)}`;
  const renamed = new Map([[hashOf(old), hashOf(changed)]]);
  replaceNode(proof, old, changed);
  // Twice as many rounds as there are nodes from a leaf of the storage to the header.
  for (let round = 0; round < 16; round += 1) {
    const [entry] = renamed;
    if (entry === undefined) break;
    const [from, to] = entry;
    renamed.delete(from);
    for (const list of [proof.account, proof.assetSlot, ...proof.links]) {
      for (const node of list.proof) {
        if (!node.includes(from)) continue;
        const fixed = node.replace(from, to);
        renamed.set(hashOf(node), hashOf(fixed));
        replaceNode(proof, node, fixed);
      }
    }
    proof.block.header = proof.block.header.replace(from, to);
  }
  proof.block.hash = random.chance(0.5) ? trustedHash : `0x${hashOf(proof.block.header)}`;
}

function replaceNode(proof: Proof, old: string, changed: string): void {
  for (const list of [proof.account, proof.assetSlot, ...proof.links]) {
    list.proof = list.proof.map((node) => (node === old ? changed : node));
  }
}
