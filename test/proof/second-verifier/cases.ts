import type { Given, Proof } from "../../../proof/src/proof.ts";
import type { Random } from "../../simulation/random.ts";
import { fileHash } from "../../support/proof/real-proofs.ts";
import { mutate, mutationNames } from "../fuzz/mutations.ts";
import { nodeForgeries } from "./forge-nodes.ts";
import { valueForgeries } from "./forge-values.ts";
import { rewrite } from "./rewrite.ts";

/** A document to verify, and what its verifier knows. */
export type Case = { document: Uint8Array; given: Given };

/** One of the proofs after a change of any kind. */
export function mutatedCase(proofs: readonly Proof[], random: Random): Case {
  const proof = structuredClone(random.pick(proofs));
  switch (random.pick(["mutated", "mutated", "rewritten", "nodes", "nodes", "values", "values"] as const)) {
    case "mutated":
      return caseOf(mutated(proof, proofs, random), proof, random);
    case "rewritten":
      return caseOf(rewrite(JSON.stringify(proof), random), proof, random);
    case "nodes":
      random.pick(nodeForgeries)(proof, random);
      return caseOf(JSON.stringify(proof), proof, random);
    case "values":
      random.pick(valueForgeries)(proof, random);
      return caseOf(JSON.stringify(proof), proof, random);
  }
}

/** A document after a mutation of those that fuzzing uses, with parts of the other proofs. */
function mutated(proof: Proof, proofs: readonly Proof[], random: Random): string | Uint8Array {
  const { chainId, registry, block } = proof;
  const scene = {
    truth: { chainId, registry, block, assets: new Map() },
    proofs: [proof],
    foreign: [...proofs],
  };
  return mutate(random.pick(mutationNames), random, scene).document;
}

const files = [
  fileHash,
  { ...fileHash, method: "Keccak-256" },
  { ...fileHash, digest: fileHash.digest.replaceAll("a", "b") },
];

/** @param trusted what the verifier trusts: its block, its registry, and its children */
function caseOf(text: string | Uint8Array, trusted: Proof, random: Random): Case {
  const document = typeof text === "string" ? new TextEncoder().encode(text) : text;
  const { registry, links, asset, block } = trusted;
  const { hash, number } = block;
  const source = "the test";
  const children = links.map(({ child }) => child);
  const blocks = [
    { hash, number: number + random.whole(0, 1) },
    { hash: asset.id },
    { hash: asset.id, number },
  ];
  return {
    document,
    given: {
      ...(random.chance(0.9) && {
        block: { source, ...(random.chance(0.7) ? { hash } : random.pick(blocks)) },
      }),
      ...(random.chance(0.4) && { registry: random.pick([registry, registry.toLowerCase(), asset.author]) }),
      ...(random.chance(0.4) && { children: random.pick([children, [], [asset.id]]) }),
      ...(random.chance(0.4) && { fileHash: random.pick(files) }),
    },
  };
}
