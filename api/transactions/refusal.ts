import { type Hex, hashTypedData } from "viem";
import type { Transaction } from "../../db/core/pool.ts";
import { storeRefusal } from "../../db/service/requests/endings.ts";
import { recordState } from "../../db/service/requests/history.ts";
import { lockRequest } from "../../db/service/requests/locks.ts";
import type { Request } from "../../db/service/requests/request.ts";
import { refusalTypedData } from "../../domain/asset/typed-data.ts";
import { ApiError } from "../../domain/errors.ts";
import { deriveState } from "../../domain/request/state.ts";
import { isNodeUnavailable } from "../../rpc/errors/unavailable.ts";
import type { Node } from "../../rpc/node.ts";
import type { Dependencies } from "../operation/dependencies.ts";
import { type AfterAnswer, knownRequest, refuseClosed } from "./known-request.ts";
import { checkSignature } from "./signature.ts";

/** An author's refusal of a request, signed by them. */
export type RefusalPlan = { id: string; signature: Hex };

/** Checks that the author signed the refusal of a request, and that its transaction is in no block. */
export async function prepareRefusal(
  { pool, chain }: Pick<Dependencies, "pool" | "chain">,
  { id, signature }: RefusalPlan,
): Promise<RefusalPlan> {
  const request = await knownRequest(pool, id);
  const { assetId: asset, author: signer, registry } = request;
  const hash = hashTypedData(refusalTypedData(registry, { transactionId: id, asset }));
  await checkSignature(chain, { signer, hash, signature });
  await refuseInBlock(chain, request);
  return { id, signature };
}

/** Stores the author's refusal; a repetition succeeds without a change. */
export async function commitRefusal(tx: Transaction, { id, signature }: RefusalPlan): Promise<AfterAnswer> {
  await lockRequest(tx, id);
  const request = await knownRequest(tx, id);
  if (request.facts.refused && deriveState(request.facts).state === "RevokedByUser") {
    return { request, changed: false };
  }
  refuseClosed(request, undefined);
  await storeRefusal(tx, id, signature);
  return { request: await recordState(tx, id), changed: !request.facts.refused };
}

/** Checks with the node, which is ahead of the index. Without its answer the index decides. */
async function refuseInBlock(chain: Node, { facts, transactionHash }: Request): Promise<void> {
  // Reported hashes are unverified.
  if (!(facts.signed || facts.accepted) || facts.refused || transactionHash === undefined) return;
  const found = await chain.transaction(transactionHash).catch((error: unknown) => {
    if (isNodeUnavailable(error)) return undefined;
    throw error;
  });
  if (typeof found?.blockHash !== "string") return;
  throw new ApiError(
    "TRANSACTION_CLOSED",
    `It cannot be refused any more: its transaction ${transactionHash} is in a block.`,
  );
}
