import type { Hex } from "viem";
import { toBytes } from "../../../domain/bytes.ts";
import { type AssetState, deriveState, nothingYet } from "../../../domain/request/state.ts";
import type { Transaction } from "../../core/pool.ts";
import { searchKeys } from "../../core/search-keys.ts";
import { ask, statement } from "../../core/statement.ts";
import { noLinkNonce } from "./facts.ts";
import type { Creation, NewRequest, Request } from "./request.ts";

/** A creation to store. Its salt is new, so the asset cannot be on the chain. */
export type NewCreation = NewRequest<Creation> & { contentHash: Hex };

type StoredRow = { created_at: Date; expires_at: Date; noted_at: Date; final_block: number };

/**
 * Stores a request for a new asset with the first entry of its history.
 * @returns the request as by `findRequest`; undefined where nothing was stored, because the index is of another registry
 *   or chain
 */
export async function insertCreation(tx: Transaction, creation: NewCreation): Promise<Request | undefined> {
  const { ttl, ...request } = creation;
  const { salt, details } = request.change;
  const keys = searchKeys(details);
  const values = [
    request.id,
    request.tenant,
    toBytes(request.author),
    toBytes(request.assetId),
    request.registry.chainId,
    toBytes(request.registry.address),
    toBytes(request.calldata),
    toBytes(salt),
    JSON.stringify(details),
    toBytes(request.contentHash),
    ttl,
    keys.nameKey,
    keys.fileDigest ?? null,
    stateOfNew,
  ];
  const [row] = await ask<StoredRow>(tx, insert, values);
  if (row === undefined) return undefined;
  return {
    ...request,
    linkNonce: noLinkNonce,
    afterBlock: undefined,
    createdAt: row.created_at,
    signatureDeadline: undefined,
    expiresAt: row.expires_at,
    facts: { ...nothingYet, finalBlock: row.final_block },
    transactionHash: undefined,
    hint: undefined,
    blockNumber: undefined,
    blockTime: undefined,
    confirmations: undefined,
    settled: false,
    noted: { ordinal: 1, state: stateOfNew, reason: undefined },
    updatedAt: row.noted_at,
  };
}

const stateOfNew: AssetState = deriveState({ ...nothingYet, finalBlock: -1 }).state;

const insert = statement(`
  with stored as (
    insert into service.requests
      (id, tenant, kind, author, asset_id, chain_id, registry, calldata, salt, details, content_hash, expires_at,
        name_key, file_digest, noted_state)
    select $1::uuid, $2::text, 'create', $3::bytea, $4::bytea, $5::bigint, $6::bytea, $7::bytea, $8::bytea,
      $9::jsonb, $10::bytea, now() + make_interval(secs => $11), $12::text, $13::bytea, $14::text
    where coalesce((select (chain_id, registry) = ($5, $6) from chain.cursor), true)
    returning id, created_at, expires_at),
  noted as (
    insert into service.history (request_id, ordinal, state, at)
    select id, 1, $14, clock_timestamp() from stored
    returning at)
  select stored.created_at, stored.expires_at, noted.at as noted_at,
    coalesce((select final_number from chain.cursor), -1) as final_block
  from stored cross join noted`);
