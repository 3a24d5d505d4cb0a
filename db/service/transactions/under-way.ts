import type { Address, Hash } from "viem";
import { addressFromBytes, fromBytes } from "../../../domain/bytes.ts";
import type { Database } from "../../core/pool.ts";

/** Pending transactions of unsettled requests. */
export async function transactionsUnderWay(db: Database): Promise<UnderWay[]> {
  const { rows } = await db.query<UnderWayRow>(underWay);
  return rows.map((row) => ({
    hash: fromBytes(row.hash),
    requestId: row.request_id,
    tenant: row.tenant,
    author: addressFromBytes(row.author),
    nonce: row.nonce ?? undefined,
  }));
}

export type UnderWay = {
  hash: Hash;
  requestId: string;
  tenant: string;
  author: Address;
  nonce: number | undefined;
};
type UnderWayRow = { hash: Buffer; request_id: string; tenant: string; author: Buffer; nonce: number | null };

// Not prepared: see `transactionsDue`.
const underWay = `
  select sent.hash, sent.request_id, request.tenant, request.author, sent.nonce
  from (select id, tenant, kind, author, asset_id from service.requests where not settled offset 0) request
  cross join lateral (
    select hash, request_id, nonce from service.transactions where request_id = request.id offset 0) sent
  where not exists (select from chain.reverts revert where revert.transaction_hash = sent.hash offset 0)
    and not exists (
      select from chain.assets asset
      where request.kind = 'create' and asset.id = request.asset_id and asset.transaction_hash = sent.hash
      offset 0)
    and not exists (
      select from chain.links link
      where request.kind <> 'create' and link.parent = request.asset_id
        and (sent.hash = link.transaction_hash
          or link.revoked_block is not null and sent.hash = link.revoked_transaction_hash)
      offset 0)`;
