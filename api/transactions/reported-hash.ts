import type { Hash } from "viem";
import type { Transaction } from "../../db/core/pool.ts";
import { lockRequest } from "../../db/service/requests/locks.ts";
import { storeReportedHash } from "../../db/service/transactions/reported-hashes.ts";
import { isClosed } from "../../domain/request/state.ts";
import { type AfterAnswer, knownRequest, refuseClosed } from "./known-request.ts";

/** The hash of a transaction that the author's wallet reports to have sent. */
export type ReportedHashPlan = { id: string; hash: Hash };

/** Stores a reported hash, which is unverified. */
export async function commitReportedHash(
  tx: Transaction,
  { id, hash }: ReportedHashPlan,
): Promise<AfterAnswer> {
  await lockRequest(tx, id);
  const request = await knownRequest(tx, id);
  refuseClosed(request, hash);
  const changed = !isClosed(request.facts) && (await storeReportedHash(tx, id, hash));
  return { request: await knownRequest(tx, id), changed };
}
