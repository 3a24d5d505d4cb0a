import { decodeRlp, encodeRlp, type RlpStructuredData } from "ethers";
import type { Proof } from "../../../proof/src/proof.ts";
import { replaceBytes } from "./replace-bytes.ts";

export const nodeListsOf = (proof: Proof): string[][] =>
  [proof.account, proof.assetSlot, ...proof.links].map(({ proof: nodes }) => nodes);

/** A path of nibbles with its flag: 0 for an extension, 2 for a leaf. */
export const pathOf = (nibbles: string, flag: number): string =>
  nibbles.length % 2 === 1 ? `0x${flag + 1}${nibbles}` : `0x${flag}0${nibbles}`;

export type Leaf = { node: string; nibbles: string; value: RlpStructuredData };

/** The last node of a list, where it is a leaf. */
export function leafOf(nodes: readonly string[]): Leaf | undefined {
  const node = nodes.at(-1) ?? "0x80";
  const [path, value, ...more] = [decodeRlp(node)].flat();
  if (typeof path !== "string" || value === undefined || more.length > 0) return undefined;
  const [, nibbles] = /^0x(?:20|3)(.*)/.exec(path) ?? [];
  return nibbles === undefined ? undefined : { node, nibbles, value };
}

/** Puts another value into the leaf at the end of a list of nodes. */
export function replaceValue(proof: Proof, nodes: string[], value: string): void {
  const leaf = leafOf(nodes);
  if (leaf) replaceBytes(proof, leaf.node, encodeRlp([pathOf(leaf.nibbles, 2), value]));
}
