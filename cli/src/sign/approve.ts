import type { RegistryClient, SubmissionOutcome } from "asset-registry-client";
import { computeAssetId } from "asset-registry-proof";
import type { Io } from "../io.ts";
import { printable } from "../output/printable.ts";
import { Problem } from "../problem.ts";
import { type Change, calldataOf } from "./change.ts";
import { requireConfirmed } from "./confirm.ts";
import { requireExpected } from "./expected.ts";
import { changeInWords } from "./in-words.ts";
import { warningOfNonce } from "./nonce.ts";
import type { Signer } from "./signer.ts";
import { costInWords, feesOf, signTransaction } from "./transaction.ts";

/**
 * Lets the author approve a request: what the service generated must be what was asked for, is shown in words and
 * confirmed, and then signed and handed in.
 * @returns how far it is, under the id of the asset that was signed
 * @throws Problem where it is something else, costs too much or is not confirmed
 */
export async function approve(
  change: Change,
  transactionId: string,
  client: RegistryClient,
  signer: Signer,
  io: Io,
): Promise<Omit<SubmissionOutcome, "id"> & { id: string }> {
  const transaction = await client.transaction(transactionId, { signal: io.signal });
  const { key, registry, chain = transaction.chainId } = signer;
  const where = { chainId: chain, registry };
  const assetId =
    change.kind === "create"
      ? computeAssetId({ ...where, author: key.address, salt: change.salt, ...change.texts })
      : change.parent;
  const expected = { change, assetId, signer: key.address, ...where };
  requireExpected(transaction, expected);
  const fees = feesOf(transaction, signer.mostWei);
  const doubt = await warningOfNonce(transaction, signer, io);
  if (doubt !== undefined && signer.yes) {
    throw new Problem(
      "nonce-doubtful",
      `${doubt} Nothing was signed: try again in a moment, or without --yes.`,
    );
  }
  const cost = `It costs ${costInWords(transaction, fees)}, and has the nonce ${transaction.nextNonce}.`;
  io.stderr.write(`${changeInWords(expected)}\n${cost}\n`);
  if (doubt !== undefined) io.stderr.write(`Warning: ${doubt}\n`);
  if (transaction.warning !== null) io.stderr.write(`Warning: ${printable(transaction.warning)}\n`);
  await requireConfirmed(signer, `The request ${printable(transactionId)} waits for its author.`, io);
  const signedTransaction = signTransaction(transaction, calldataOf(change), fees, key);
  const outcome = await client.submit(transactionId, { signedTransaction }, { signal: io.signal });
  return { ...outcome, id: assetId };
}
