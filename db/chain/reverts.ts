import type { Hash } from "viem";
import { toBytes } from "../../domain/bytes.ts";
import type { Transaction } from "../core/pool.ts";

/** Stores reverted transactions with their reasons. */
export async function insertRevert(
  tx: Transaction,
  revert: { hash: Hash; blockNumber: number; reason: string },
): Promise<void> {
  await tx.query(
    `insert into chain.reverts (transaction_hash, block_number, reason) values ($1, $2, $3)
     on conflict (transaction_hash) do update set block_number = excluded.block_number, reason = excluded.reason`,
    [toBytes(revert.hash), revert.blockNumber, revert.reason],
  );
}
