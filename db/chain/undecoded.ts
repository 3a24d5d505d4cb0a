import type { Hash, Hex } from "viem";
import { toBytes } from "../../domain/bytes.ts";
import type { Transaction } from "../core/pool.ts";

/** A log of the registry that cannot be decoded. */
export type UndecodedLog = {
  blockNumber: number;
  logIndex: number;
  transactionHash: Hash;
  topics: Hex[];
  data: Uint8Array;
  problem: string;
};

export async function insertUndecoded(tx: Transaction, log: UndecodedLog): Promise<void> {
  await tx.query(
    `insert into chain.undecoded_logs (block_number, log_index, transaction_hash, topics, data, problem)
     values ($1, $2, $3, $4, $5, $6)`,
    [
      log.blockNumber,
      log.logIndex,
      toBytes(log.transactionHash),
      log.topics.map(toBytes),
      log.data,
      log.problem,
    ],
  );
}
