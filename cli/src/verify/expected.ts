import type { Proof } from "asset-registry-proof";
import { replaced, type Told, type ToldCheck } from "./told.ts";

/** What the verifier asked for, where it named it: an asset's id in lower case, and its author. */
type Expected = { asset: string | undefined; author: string | undefined };

/** Holds a result against the asset and the author that the verifier named: a proof of others is none of these. */
export function asExpected(told: Told, proof: Proof | undefined, { asset, author }: Expected): Told {
  const found = proof?.asset.id;
  if (asset !== undefined && found !== undefined && found !== asset) {
    const reason = `The proof is of the asset ${found}, and not of ${asset}.`;
    return refused(told, "asset", { name: "id", code: "another-asset", reason });
  }
  const proven = told.asset?.author;
  if (author === undefined || proven === undefined || proven.toLowerCase() === author.toLowerCase())
    return told;
  const reason = `The author is ${proven}, and not ${author}.`;
  return refused(told, "author", { name: "author", code: "another-author", reason });
}

function refused(told: Told, of: string, found: Pick<ToldCheck, "name" | "code" | "reason">): Told {
  const checks = replaced(told.checks, { ...found, outcome: "invalid" });
  const begin = told.verdict === "invalid" ? told.words : `The proof is of another ${of}.`;
  return { ...told, verdict: "invalid", words: `${begin} ${found.reason}`, checks };
}
