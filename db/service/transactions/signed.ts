import type { Hash, Hex } from "viem";
import { toBytes } from "../../../domain/bytes.ts";
import type { Transaction } from "../../core/pool.ts";
import { ask, statement } from "../../core/statement.ts";

export type SignedTransaction = { hash: Hash; raw: Hex; nonce: number; description: string | undefined };

/** Stores a signed transaction for the indexer to send. @returns false for a repetition */
export async function storeSigned(
  tx: Transaction,
  requestId: string,
  signed: SignedTransaction,
): Promise<boolean> {
  const { hash, raw, nonce, description } = signed;
  const values = [toBytes(hash), requestId, toBytes(raw), nonce, description ?? null];
  return (await ask(tx, store, values)).length > 0;
}

const store = statement(`
  insert into service.transactions (hash, request_id, raw, nonce, description)
  values ($1, $2, $3, $4, $5)
  on conflict (hash, request_id) do update set raw = coalesce(service.transactions.raw, excluded.raw),
    nonce = coalesce(service.transactions.nonce, excluded.nonce)
    where service.transactions.raw is null or service.transactions.nonce is null
  returning request_id`);
