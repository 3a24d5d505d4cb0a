import {
  type Given,
  type Outcome,
  type Proof,
  ProofError,
  readProof,
  verifyDocument,
} from "asset-registry-proof";
import { type BlockOptions, type Trust, trustedBlock } from "../blocks/trusted.ts";
import type { Io } from "../io.ts";
import { asExpected } from "./expected.ts";
import type { Received } from "./proofs.ts";
import { type Digests, hintOf, type Subject } from "./subject.ts";
import { swappedHint } from "./swapped.ts";
import { replaced, type Told } from "./told.ts";

/** What a verifier wants to know, beside the proof. */
export type Wanted = {
  subject: Subject;
  digests: Digests;
  blocks: BlockOptions;
  registry: string | undefined;
  children: string[];
  /** The author that it must be. */
  author: string | undefined;
};

/** Verifies one proof. */
export async function check({ source, document, asset }: Received, wanted: Wanted, io: Io): Promise<Told> {
  const proof = readable(document);
  const at = proof && { chainId: proof.chainId, number: proof.block.number };
  const trust = await trustedBlock(wanted.blocks, at, io);
  const given = await givenBy(wanted, proof, trust);
  const result = verifyDocument(document, given);
  const expected = { asset, author: wanted.author };
  const told = asExpected(withTrust({ proof: source, ...result }, trust), proof, expected);
  const texts = proof !== undefined && holds(told, "id") ? textsOf(proof) : undefined;
  const differs = told.checks.some(({ code }) => code === "file-differs");
  const hint =
    proof === undefined
      ? await swappedHint(wanted.subject, io)
      : differs
        ? await hintOf(wanted.subject, proof.asset)
        : undefined;
  return { ...told, ...(texts && { texts }), ...(hint !== undefined && { hint }) };
}

function readable(document: Uint8Array | string): Proof | undefined {
  try {
    return readProof(document);
  } catch (error) {
    if (error instanceof ProofError) return undefined; // the verifier says why
    throw error;
  }
}

async function givenBy(wanted: Wanted, proof: Proof | undefined, trust: Trust): Promise<Given> {
  const fileHash = await wanted.digests.of(proof?.asset);
  return {
    children: wanted.children,
    ...(fileHash && { fileHash }),
    ...("block" in trust && { block: trust.block }),
    ...(wanted.registry !== undefined && { registry: wanted.registry }),
  };
}

const holds = ({ checks }: Told, name: string) =>
  checks.some((one) => one.name === name && one.outcome === "valid");

/** Says why there is no trusted block, where a source was named that had none. */
function withTrust(told: Told, trust: Trust): Told {
  const untrusted = told.checks.find(({ code }) => code === "no-trusted-block");
  if ("block" in trust || untrusted === undefined) return told;
  const words = told.words.replace(untrusted.reason, () => trust.reason);
  return { ...told, words, checks: replaced(told.checks, { ...untrusted, ...trust }) };
}

function textsOf({ asset }: Proof): Partial<Proof["asset"]> {
  const { id: _id, author: _author, salt: _salt, ...texts } = asset;
  return Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== ""));
}

/**
 * The verdict on all proofs that were found for a file: one that is valid shows what was asked for, whatever else
 * somebody registered of the same file, and one that is invalid should not have been handed out.
 */
export function verdictOfAll(results: readonly { verdict: Outcome }[]): Outcome {
  const verdicts = results.map(({ verdict }) => verdict);
  if (verdicts.includes("invalid")) return "invalid";
  return verdicts.includes("valid") ? "valid" : "cannot check";
}
