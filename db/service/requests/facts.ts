import type { AssetDetails, AssetId } from "../../../domain/asset/asset.ts";
import { addressFromBytes, fromBytes } from "../../../domain/bytes.ts";
import type { Hint } from "../../../domain/request/hints.ts";
import { type AssetState, deriveState, type Facts } from "../../../domain/request/state.ts";
import { subjectOf } from "../../chain/cancellations.ts";
import type { Change, Request, RequestOutline } from "./request.ts";

const textColumns = {
  all: "request.calldata, request.salt, request.details",
  name: "case when request.kind = 'create' then jsonb_build_object('name', request.details -> 'name') end as details",
  none: "null as details",
};

/** In SQL: the creation of a request's asset. */
const effectOfCreation = `left join lateral (select null::json as list) targets on true
  left join lateral (
    select block_number, transaction_hash from chain.assets where id = request.asset_id limit 1
  ) effect on true`;

/** In SQL: the creation of the asset, or the last of the requested links once all are made. */
const effectOfAny = `left join lateral (
    select json_agg(json_build_object('child', '0x' || encode(child, 'hex'), 'nth', nth) order by ordinal) as list,
      count(*) as size
    from service.request_targets where request_id = request.id
  ) targets on true
  left join lateral (
    select block_number, transaction_hash from (
      select * from chain.assets where request.kind = 'create' and id = request.asset_id limit 1) asset
    union all
    select max(done.block_number),
      (array_agg(done.transaction_hash order by done.block_number desc, done.log_index desc))[1]
    from (
      select target.child, link.block_number, link.log_index, link.transaction_hash
      from service.request_targets target
      join chain.links link
        on link.parent = request.asset_id and link.child = target.child
        and (link.nth = target.nth or link.block_number > coalesce(request.after_block, -1) and link.transaction_hash in (
          select hash from service.transactions where request_id = request.id))
      where target.request_id = request.id and request.kind = 'link'
      union all
      select target.child, link.revoked_block, link.revoked_log_index, link.revoked_transaction_hash
      from service.request_targets target
      join chain.links link
        on link.parent = request.asset_id and link.child = target.child
        and (link.nth = target.nth or link.revoked_block > coalesce(request.after_block, -1) and link.revoked_transaction_hash in (
          select hash from service.transactions where request_id = request.id))
      where target.request_id = request.id and request.kind = 'revoke' and link.revoked_block is not null
    ) done
    having count(*) > 0 and count(distinct done.child) = targets.size
  ) effect on true`;

/**
 * The facts of requests, read from the chain's tables and the service's own; what follows from them is decided in
 * `domain/request/state.ts`.
 *
 * `effect` is the proof that a change happened: the event of the asset with this id, or of each asked link,
 * whoever sent the transaction. A link counts by its turn, or by a transaction of the request itself: a reorg
 * that removes earlier turns of the pair moves the numbers. Its calldata is that of any other turn of the pair, so
 * a transaction from before the request (`after_block`) does not count as its own. `missing` and `low_fee` say since
 * when no transaction of the request has been where it could be mined, and why.
 *
 * `lateral … limit 1` forces index lookups, whatever the statistics are.
 * @param requests the requests to read, named `request`
 * @param kinds kinds among them: without link changes the query takes a fifth less time
 * @param texts texts to read: with the call they may have a quarter of a megabyte for one request
 */
export const requestFactsFrom = (
  requests: string,
  { kinds = "any", texts = "all" }: { kinds?: "creations" | "any"; texts?: keyof typeof textColumns } = {},
): string => `
  select ${textColumns[texts]}, request.id, request.tenant, request.kind, request.author, request.asset_id, request.chain_id,
    request.registry, request.link_nonce,
    request.content_hash, request.after_block, request.created_at,
    request.expires_at, relay.deadline as relay_deadline, request.refused_at, request.settled, targets.list as targets,
    effect.block_number as effect_block, effect.transaction_hash as effect_hash,
    revert.block_number as revert_block, revert.transaction_hash as revert_hash, revert.reason as revert_reason,
    coalesce(sent.own, 0) as own_known, coalesce(sent.open, 0) as own_open, sent.passed as passed_block,
    cancelled.block_number as voided_block, relay.request_id is not null as relayed,
    coalesce(sent.accepted, false) as accepted, coalesce(sent.signed, false) as signed,
    coalesce(sent.newest, reported.hash) as newest_hash,
    sent.missing as missing_since, sent.low_fee as low_fee_since,
    request.given_up_reason, request.expires_at <= now() as overdue,
    coalesce(cursor.block_number, -1) as indexed_block, coalesce(cursor.final_number, -1) as final_block,
    block.timestamp as block_time,
    noted.ordinal as noted_ordinal, noted.state as noted_state, noted.reason as noted_reason,
    coalesce(noted.at, request.created_at) as updated_at
  from ${requests}
  left join lateral (select block_number, final_number from chain.cursor limit 1) cursor on true
  ${kinds === "creations" ? effectOfCreation : effectOfAny}
  left join lateral (
    select revert.block_number, revert.transaction_hash, revert.reason
    from service.transactions sent
    join chain.reverts revert on revert.transaction_hash = sent.hash
    where sent.request_id = request.id and revert.block_number > coalesce(request.after_block, -1)
    order by revert.block_number desc limit 1
  ) revert on true
  left join lateral (
    select (array_agg(tx.hash order by tx.accepted_at desc nulls last, tx.stored_at desc))[1] as newest,
      bool_or(tx.accepted_at is not null) as accepted,
      bool_or(tx.raw is not null) as signed,
      count(*) filter (where tx.by_author) as own,
      count(*) filter (where tx.by_author and tx.passed is null) as open,
      max(tx.passed) filter (where tx.by_author) as passed,
      case when bool_and(tx.missing_since is not null) filter (where tx.by_author and tx.accepted_at is not null)
        then max(tx.missing_since) end as missing,
      case when bool_and(coalesce(tx.missing_since, tx.low_fee_since) is not null) filter (where tx.by_author and tx.hopeless is null)
        then max(tx.low_fee_since) end as low_fee
    from (
      select known.*, (
        select nonces.block_number from chain.nonces nonces
        where nonces.address = request.author and nonces.nonce > known.nonce
        order by nonces.nonce, nonces.block_number limit 1) as passed
      from service.transactions known where known.request_id = request.id
    ) tx
  ) sent on true
  left join lateral (
    select min(block_number) as block_number from chain.cancellations
    where author = request.author and subject = ${subjectOf("request")}
  ) cancelled on true
  left join lateral (select request_id, deadline from service.relays where request_id = request.id limit 1) relay on true
  left join lateral (
    select hash from service.reported_hashes where request_id = request.id
    order by reported_at desc limit 1
  ) reported on true
  left join lateral (
    select ordinal, state, reason, at from service.history where request_id = request.id
    order by ordinal desc limit 1
  ) noted on true
  left join lateral (
    select timestamp from chain.blocks where number = coalesce(effect.block_number, revert.block_number) limit 1
  ) block on true`;

export const requestFacts = requestFactsFrom("service.requests request");

export type RequestRow = OutlineRow & {
  calldata: Buffer;
  salt: Buffer | null;
  details: AssetDetails | null;
};

/** A row of a request without its texts. */
export type OutlineRow = {
  id: string;
  tenant: string;
  kind: Change["kind"];
  author: Buffer;
  asset_id: Buffer;
  chain_id: number;
  registry: Buffer;
  link_nonce: Buffer | null;
  content_hash: Buffer | null;
  after_block: number | null;
  targets: { child: AssetId; nth: number }[] | null;
  created_at: Date;
  expires_at: Date;
  relay_deadline: number | null;
  refused_at: Date | null;
  settled: boolean;
  effect_block: number | null;
  effect_hash: Buffer | null;
  revert_block: number | null;
  revert_hash: Buffer | null;
  revert_reason: string | null;
  own_known: number;
  own_open: number;
  passed_block: number | null;
  voided_block: number | null;
  relayed: boolean;
  accepted: boolean;
  signed: boolean;
  newest_hash: Buffer | null;
  missing_since: Date | null;
  low_fee_since: Date | null;
  given_up_reason: string | null;
  overdue: boolean;
  indexed_block: number;
  final_block: number;
  block_time: number | null;
  noted_ordinal: number | null;
  noted_state: AssetState | null;
  noted_reason: string | null;
  updated_at: Date;
};

export function parseRequest(row: RequestRow): Request {
  return { ...parseOutline(row), calldata: fromBytes(row.calldata), change: parseChange(row) };
}

export function parseOutline(row: OutlineRow): RequestOutline {
  const facts = parseFacts(row);
  // Of the block that holds the state: a revert does not change what was refused or given up.
  const { state } = deriveState(facts);
  const isReverted = state === "RevokedByBlockchain";
  const hash = row.effect_hash ?? (isReverted ? row.revert_hash : null) ?? row.newest_hash;
  const blockNumber = facts.effect ?? (isReverted ? facts.reverted?.block : undefined);
  return {
    id: row.id,
    tenant: row.tenant,
    author: addressFromBytes(row.author),
    assetId: fromBytes(row.asset_id),
    registry: { chainId: row.chain_id, address: addressFromBytes(row.registry) },
    linkNonce: parseLinkNonce(row),
    contentHash: row.content_hash === null ? undefined : fromBytes(row.content_hash),
    afterBlock: row.after_block ?? undefined,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    signatureDeadline: row.relay_deadline ?? undefined,
    facts,
    transactionHash: hash === null ? undefined : fromBytes(hash),
    hint: parseHint(row),
    blockNumber,
    blockTime: blockNumber === undefined ? undefined : (row.block_time ?? undefined),
    confirmations: blockNumber === undefined ? undefined : row.indexed_block - blockNumber + 1,
    settled: row.settled,
    noted:
      row.noted_ordinal === null || row.noted_state === null
        ? undefined
        : { ordinal: row.noted_ordinal, state: row.noted_state, reason: row.noted_reason ?? undefined },
    updatedAt: row.updated_at,
  };
}

function parseFacts(row: OutlineRow): Facts {
  const { revert_block: block, revert_reason: reason } = row;
  return {
    effect: row.effect_block ?? undefined,
    finalBlock: row.final_block,
    reverted: block === null || reason === null ? undefined : { block, reason },
    nonces: { known: row.own_known, open: row.own_open, passed: row.passed_block ?? undefined },
    voided: row.voided_block ?? undefined,
    relayed: row.relayed,
    signed: row.signed || row.relayed,
    accepted: row.accepted,
    refused: row.refused_at !== null,
    givenUp: row.given_up_reason ?? undefined,
    overdue: row.overdue,
  };
}

/** The nonce of a creation, which has none. */
export const noLinkNonce = 0n;

function parseLinkNonce({ kind, id, link_nonce }: OutlineRow): bigint {
  if (kind === "create") return noLinkNonce;
  if (link_nonce === null) throw new Error(`Link change ${id} has no nonce`);
  return BigInt(fromBytes(link_nonce));
}

function parseHint({ missing_since, low_fee_since }: OutlineRow): Hint | undefined {
  // Both hold where a node has dropped an underpriced transaction.
  if (low_fee_since !== null) return { code: "FEE_BELOW_BASE_FEE", since: low_fee_since };
  return missing_since === null ? undefined : { code: "NOT_SEEN", since: missing_since };
}

function parseChange(row: RequestRow): Change {
  if (row.kind !== "create") return { kind: row.kind, targets: row.targets ?? [] };
  if (row.salt === null || row.details === null) throw new Error(`Request ${row.id} has no content`);
  return { kind: "create", salt: fromBytes(row.salt), details: row.details };
}
