import type { Proof } from "../../../proof/src/proof.ts";
import type { Random } from "../../simulation/random.ts";

/** A place in a document: what holds it, and its name or number there. */
export type Place = { holder: Record<string | number, unknown>; name: string | number; value: unknown };

/** All places of a document, from the outside in. */
export function placesOf(proof: Proof): Place[] {
  const found: Place[] = [];
  const visit = (holder: Record<string | number, unknown>) => {
    for (const name of Array.isArray(holder) ? holder.keys() : Object.keys(holder)) {
      const value = holder[name];
      found.push({ holder, name, value });
      if (typeof value === "object" && value !== null) visit(value as Place["holder"]);
    }
  };
  visit(proof as unknown as Place["holder"]);
  return found;
}

export const pickPlace = (proof: Proof, random: Random): Place => random.pick(placesOf(proof));

/** A list of nodes somewhere in a document. */
export function pickNodes(proof: Proof, random: Random): string[] {
  return random.pick([proof.account, proof.assetSlot, ...proof.links]).proof;
}
