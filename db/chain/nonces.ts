import type { Address } from "viem";
import type { Transaction } from "../core/pool.ts";
import { ask, statement } from "../core/statement.ts";

/** Stores the nonces of accounts at the end of a block, if they differ from the newest stored ones. */
export async function insertNonces(
  tx: Transaction,
  blockNumber: number,
  nonces: ReadonlyMap<Address, number>,
): Promise<void> {
  if (nonces.size === 0) return;
  const seen = [...nonces].map(([address, nonce]) => ({ address, nonce }));
  await ask(tx, storeNonces, [JSON.stringify(seen), blockNumber]);
}

const storeNonces = statement(`
  insert into chain.nonces (address, block_number, nonce)
  select seen.address, $2, seen.nonce
  from (
    select decode(substr(address, 3), 'hex') as address, nonce
    from json_to_recordset($1::json) as seen (address text, nonce bigint)) seen
  where seen.nonce is distinct from (
    select nonce from chain.nonces where address = seen.address order by block_number desc limit 1)
  on conflict do nothing`);
