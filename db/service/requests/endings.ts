import type { Hex } from "viem";
import { toBytes } from "../../../domain/bytes.ts";
import type { Transaction } from "../../core/pool.ts";

export async function storeRefusal(tx: Transaction, id: string, signature: Hex): Promise<void> {
  await tx.query(
    `update service.requests set refused_at = now(), refusal_signature = $2
     where id = $1 and refused_at is null`,
    [id, toBytes(signature)],
  );
}

export async function giveUp(tx: Transaction, id: string, reason: string): Promise<void> {
  await tx.query(
    `update service.requests set given_up_at = now(), given_up_reason = $2
     where id = $1 and given_up_at is null`,
    [id, reason],
  );
}

/** Reopens requests that were given up, because their change is on the chain; a reorg that removes it leaves them open. */
export async function takeUp(tx: Transaction, ids: readonly string[]): Promise<void> {
  await tx.query(
    `update service.requests set given_up_at = null, given_up_reason = null
     where id = any($1::uuid[]) and given_up_at is not null`,
    [ids],
  );
}

export async function markSettled(tx: Transaction, ids: readonly string[], settled: boolean): Promise<void> {
  await tx.query("update service.requests set settled = $2 where id = any($1::uuid[]) and settled <> $2", [
    ids,
    settled,
  ]);
}
