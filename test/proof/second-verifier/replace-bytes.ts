import { keccak256 } from "ethers";
import type { Proof } from "../../../proof/src/proof.ts";
import { placesOf } from "../fuzz/places.ts";

/**
 * Puts bytes in the place of a node or of the header, and new hashes in the place of the old ones up to the block's,
 * so that nothing but these bytes is wrong.
 */
export function replaceBytes(proof: Proof, from: string, to: string): void {
  if (from === to) return;
  const texts = () =>
    placesOf(proof).flatMap(({ holder, name, value }) => {
      return typeof value === "string" ? [{ holder, name, value }] : [];
    });
  for (const { holder, name, value } of texts()) if (value === from) holder[name] = to;
  const [old, put] = [keccak256(from).slice(2), keccak256(to).slice(2)];
  const parents = texts().flatMap(({ value }) => (value !== to && value.includes(old) ? [value] : []));
  for (const parent of new Set(parents)) replaceBytes(proof, parent, parent.replaceAll(old, put));
}
