import {
  type Check,
  type Proof,
  ProofError,
  type Result,
  readProof,
  readStoredHash,
  verifyDocument,
} from "asset-registry-proof";
import type { Digests } from "../../../file/digests.ts";
import { texts } from "../../../texts/texts.ts";
import type { BlockChoice } from "../block/block-choice.ts";
import { askNodes, type Trust } from "../block/node.ts";

/** What the verifier says of a proof, and the proof where it can be read. */
export type Checked = { result: Result; proof: Proof | undefined };

/**
 * Verifies a proof against a file's digests, of which there are none where nothing is compared, and against a block of
 * the visitor's choice.
 */
export async function checkProof(
  document: Uint8Array | string,
  digests: Digests | undefined,
  choice: BlockChoice,
  signal: AbortSignal,
): Promise<Checked> {
  const proof = readable(document);
  const trust = await trustOf(choice, proof, signal);
  const fileHash = proof && digests && digestFor(proof, digests);
  const result = verifyDocument(document, {
    ...(fileHash && { fileHash }),
    ...("block" in trust && { block: trust.block }),
  });
  return { result: { ...result, checks: result.checks.map((check) => withTrust(check, trust)) }, proof };
}

/** The proof, or undefined where it is none; the verifier says why. */
export function readable(document: Uint8Array | string): Proof | undefined {
  try {
    return readProof(document);
  } catch (error) {
    if (error instanceof ProofError) return undefined;
    throw error;
  }
}

/** The digest by the asset's own method, else any other, of which the verifier says that it cannot be compared. */
function digestFor({ asset }: Proof, digests: Digests): { method: string; digest: string } {
  const stored = readStoredHash(asset);
  const own = typeof stored === "string" ? undefined : digests.get(stored.method);
  if (typeof stored !== "string" && own !== undefined) return { method: stored.method, digest: own };
  const [[method, digest] = ["", ""]] = digests;
  return { method, digest };
}

async function trustOf(choice: BlockChoice, proof: Proof | undefined, signal: AbortSignal): Promise<Trust> {
  switch (choice.from) {
    case "nowhere":
      return { reason: texts.verify.nodes.none };
    case "hash":
      return { block: { hash: choice.hash, source: texts.verify.nodes.pasted } };
    case "nodes":
      if (proof === undefined) return { reason: texts.verify.nodes.none };
      return await askNodes(choice.urls, { chainId: proof.chainId, number: proof.block.number }, signal);
  }
}

/** Says why there is no trusted block. */
const withTrust = (check: Check, trust: Trust): Check =>
  check.code === "no-trusted-block" && "reason" in trust ? { ...check, reason: trust.reason } : check;
