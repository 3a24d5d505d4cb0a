import type { Address, Hash, Hex } from "viem";
import { type AssetDetails, type AssetId, rawDetails } from "../domain/asset.ts";
import type { Facts } from "../domain/state.ts";
import { hashAsset, type Registry } from "../domain/typed-data.ts";
import { addressFromBytes, fromBytes, toBytes } from "./bytes.ts";
import type { Database, Transaction } from "./pool.ts";

/** What a request asks of the chain. `nth` counts the links of a pair: see `chain.links`. */
export type Change =
  | { kind: "create"; salt: Hex; details: AssetDetails }
  | { kind: "link" | "revoke"; targets: { child: AssetId; nth: number }[] };

export type NewRequest = {
  id: string;
  tenant: string;
  author: Address;
  /** The asset to create, or the parent of the links. */
  assetId: AssetId;
  registry: Registry;
  calldata: Hex;
  /** Seconds until it expires unsigned. */
  ttl: number;
  change: Change;
};

/** A request with the facts that its state follows from. */
export type Request = Omit<NewRequest, "ttl"> & {
  /** Of a creation: `hashStruct(Asset)` of what was asked for. */
  contentHash: Hex | undefined;
  createdAt: Date;
  expiresAt: Date;
  facts: Facts;
  /** Transaction that made the change or reverted; else the newest one known, reported ones last. */
  transactionHash: Hash | undefined;
  /** Block of the change or the revert, and its time in seconds since 1970. */
  blockNumber: number | undefined;
  blockTime: number | undefined;
  /** Blocks on top of that block, itself included. */
  confirmations: number | undefined;
  settled: boolean;
  /** Whether the facts that ended it are final. */
  endIsFinal: boolean;
  /** When something was last noted in its history. */
  updatedAt: Date;
};

export async function insertRequest(tx: Transaction, request: NewRequest): Promise<void> {
  const { change } = request;
  const creation = change.kind === "create" ? change : undefined;
  await tx.query(
    `insert into service.requests
       (id, tenant, kind, author, asset_id, chain_id, registry, calldata, salt, details, content_hash, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, now() + make_interval(secs => $12))`,
    [
      request.id,
      request.tenant,
      change.kind,
      toBytes(request.author),
      toBytes(request.assetId),
      request.registry.chainId,
      toBytes(request.registry.address),
      toBytes(request.calldata),
      creation ? toBytes(creation.salt) : null,
      creation ? JSON.stringify(creation.details) : null,
      creation ? toBytes(hashAsset(request.author, creation.salt, rawDetails(creation.details))) : null,
      request.ttl,
    ],
  );
  if (change.kind === "create") return;
  await tx.query(
    `insert into service.request_targets (request_id, ordinal, child, nth)
     select $1, ordinal, child, nth
     from unnest($2::bytea[], $3::int[]) with ordinality as target (child, nth, ordinal)`,
    [request.id, change.targets.map(({ child }) => toBytes(child)), change.targets.map(({ nth }) => nth)],
  );
}

/**
 * The facts of requests, read from the chain's tables and the service's own.
 *
 * `effect` is the proof that a change happened: the event of the asset with this id, or of each asked link,
 * whoever sent the transaction. A link counts by its turn, or by a transaction of the request itself: a reorg
 * that removes earlier turns of the pair moves the numbers. `passed` is the block at which every known transaction of the request had
 * its nonce behind it.
 */
const requestFacts = `
  select request.id, request.tenant, request.kind, request.author, request.asset_id, request.chain_id,
    request.registry, request.calldata, request.salt, request.details,
    request.content_hash, request.created_at,
    request.expires_at, request.refused_at, request.settled, targets.list as targets,
    effect.block_number as effect_block, effect.transaction_hash as effect_hash,
    revert.block_number as revert_block, revert.transaction_hash as revert_hash, revert.reason as revert_reason,
    sent.passed as passed_block, coalesce(sent.accepted, false) as accepted, coalesce(sent.signed, false) as signed,
    coalesce(sent.newest, hint.hash) as newest_hash,
    coalesce(request.given_up_reason,
      case when sent.newest is null and request.expires_at <= now() then 'EXPIRED' end) as given_up_reason,
    coalesce(cursor.block_number, -1) as indexed_block, coalesce(cursor.final_number, -1) as final_block,
    block.timestamp as block_time,
    coalesce((select max(at) from service.history where request_id = request.id), request.created_at) as updated_at
  from service.requests request
  left join chain.cursor cursor on true
  left join lateral (
    select json_agg(json_build_object('child', '0x' || encode(child, 'hex'), 'nth', nth) order by ordinal) as list,
      count(*) as size
    from service.request_targets where request_id = request.id
  ) targets on true
  left join lateral (
    select asset.block_number, asset.transaction_hash from chain.assets asset
    where request.kind = 'create' and asset.id = request.asset_id
    union all
    select max(done.block_number),
      (array_agg(done.transaction_hash order by done.block_number desc, done.log_index desc))[1]
    from (
      select target.child, link.block_number, link.log_index, link.transaction_hash
      from service.request_targets target
      join chain.links link
        on link.parent = request.asset_id and link.child = target.child
        and (link.nth = target.nth or link.transaction_hash in (
          select hash from service.transactions where request_id = request.id))
      where target.request_id = request.id and request.kind = 'link'
      union all
      select target.child, link.revoked_block, link.revoked_log_index, link.revoked_transaction_hash
      from service.request_targets target
      join chain.links link
        on link.parent = request.asset_id and link.child = target.child
        and (link.nth = target.nth or link.revoked_transaction_hash in (
          select hash from service.transactions where request_id = request.id))
      where target.request_id = request.id and request.kind = 'revoke' and link.revoked_block is not null
    ) done
    having count(*) > 0 and count(distinct done.child) = targets.size
  ) effect on true
  left join lateral (
    select revert.block_number, revert.transaction_hash, revert.reason
    from service.transactions sent
    join chain.reverts revert on revert.transaction_hash = sent.hash
    where sent.request_id = request.id
    order by revert.block_number desc limit 1
  ) revert on true
  left join lateral (
    select (array_agg(tx.hash order by tx.accepted_at desc nulls last, tx.stored_at desc))[1] as newest,
      bool_or(tx.accepted_at is not null) as accepted,
      bool_or(tx.raw is not null) as signed,
      case when bool_and(tx.passed is not null) then max(tx.passed) end as passed
    from (
      select known.*, (
        select min(nonces.block_number) from chain.nonces nonces
        where nonces.address = request.author and nonces.nonce > known.nonce) as passed
      from service.transactions known where known.request_id = request.id
    ) tx
  ) sent on true
  left join lateral (
    select hash from service.transaction_hints where request_id = request.id
    order by reported_at desc limit 1
  ) hint on true
  left join chain.blocks block on block.number = coalesce(effect.block_number, revert.block_number)`;

type RequestRow = {
  id: string;
  tenant: string;
  kind: Change["kind"];
  author: Buffer;
  asset_id: Buffer;
  chain_id: number;
  registry: Buffer;
  calldata: Buffer;
  salt: Buffer | null;
  details: AssetDetails | null;
  content_hash: Buffer | null;
  targets: { child: AssetId; nth: number }[] | null;
  created_at: Date;
  expires_at: Date;
  refused_at: Date | null;
  settled: boolean;
  effect_block: number | null;
  effect_hash: Buffer | null;
  revert_block: number | null;
  revert_hash: Buffer | null;
  revert_reason: string | null;
  passed_block: number | null;
  accepted: boolean;
  signed: boolean;
  newest_hash: Buffer | null;
  given_up_reason: string | null;
  indexed_block: number;
  final_block: number;
  block_time: number | null;
  updated_at: Date;
};

function parseRequest(row: RequestRow): Request {
  const hash = row.effect_hash ?? row.revert_hash ?? row.newest_hash;
  const blockNumber = row.effect_block ?? row.revert_block ?? undefined;
  const end = row.effect_block ?? row.revert_block ?? row.passed_block ?? -1;
  return {
    id: row.id,
    tenant: row.tenant,
    author: addressFromBytes(row.author),
    assetId: fromBytes(row.asset_id),
    registry: { chainId: row.chain_id, address: addressFromBytes(row.registry) },
    calldata: fromBytes(row.calldata),
    change: parseChange(row),
    contentHash: row.content_hash === null ? undefined : fromBytes(row.content_hash),
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    facts: {
      effect: row.effect_block ?? undefined,
      finalBlock: row.final_block,
      reverted: row.revert_reason ?? undefined,
      nonceUsed: row.passed_block !== null,
      refused: row.refused_at !== null,
      givenUp: row.given_up_reason ?? undefined,
      accepted: row.accepted,
      signed: row.signed,
    },
    transactionHash: hash === null ? undefined : fromBytes(hash),
    blockNumber,
    blockTime: row.block_time ?? undefined,
    confirmations: blockNumber === undefined ? undefined : row.indexed_block - blockNumber + 1,
    settled: row.settled,
    endIsFinal: end <= row.final_block,
    updatedAt: row.updated_at,
  };
}

function parseChange(row: RequestRow): Change {
  if (row.kind !== "create") return { kind: row.kind, targets: row.targets ?? [] };
  if (row.salt === null || row.details === null) throw new Error(`Request ${row.id} has no content`);
  return { kind: "create", salt: fromBytes(row.salt), details: row.details };
}

export async function findRequest(db: Database, id: string): Promise<Request | undefined> {
  const { rows } = await db.query<RequestRow>(`${requestFacts} where request.id = $1`, [id]);
  return rows[0] && parseRequest(rows[0]);
}

export async function findRequests(db: Database, ids: readonly string[]): Promise<Request[]> {
  const { rows } = await db.query<RequestRow>(
    `${requestFacts} where request.id = any($1::uuid[]) order by request.created_at, request.id`,
    [ids],
  );
  return rows.map(parseRequest);
}

/** The request that created, or is to create, this asset. */
export async function findCreation(db: Database, assetId: AssetId): Promise<Request | undefined> {
  const { rows } = await db.query<RequestRow>(
    `${requestFacts} where request.asset_id = $1 and request.kind = 'create'`,
    [toBytes(assetId)],
  );
  return rows[0] && parseRequest(rows[0]);
}

/** Requests of one tenant that change links of this parent and have not been settled, oldest first. */
export async function openLinkRequests(db: Database, tenant: string, parent: AssetId): Promise<Request[]> {
  const { rows } = await db.query<RequestRow>(
    `${requestFacts}
     where request.asset_id = $1 and request.tenant = $2 and request.kind <> 'create' and not request.settled
     order by request.created_at, request.id`,
    [toBytes(parent), tenant],
  );
  return rows.map(parseRequest);
}

/** Keeps other requests for links of this parent waiting until the transaction ends. */
export async function lockParent(tx: Transaction, parent: AssetId): Promise<void> {
  await tx.query("select pg_advisory_xact_lock(hashtextextended($1, 0))", [parent]);
}

/** Keeps other changes of this request waiting until the transaction ends. */
export async function lockRequest(tx: Transaction, id: string): Promise<void> {
  await lockRequests(tx, [id]);
}

/**
 * The same for several, in one order for all who do so. Whoever writes rows of a request locks it first:
 * otherwise one waits for the other's row and the other for the request.
 */
export async function lockRequests(tx: Transaction, ids: readonly string[]): Promise<void> {
  await tx.query("select from service.requests where id = any($1::uuid[]) order by id for update", [ids]);
}

/** Which of these ids are assets that this tenant asked for, on the chain or not. */
export async function assetsRequested(
  db: Database,
  tenant: string,
  ids: readonly AssetId[],
): Promise<Set<AssetId>> {
  const { rows } = await db.query<{ asset_id: Buffer }>(
    `select asset_id from service.requests
     where kind = 'create' and tenant = $1 and asset_id = any($2::bytea[])`,
    [tenant, ids.map(toBytes)],
  );
  return new Set(rows.map(({ asset_id }) => fromBytes(asset_id)));
}

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

export async function markSettled(tx: Transaction, ids: readonly string[], settled: boolean): Promise<void> {
  await tx.query("update service.requests set settled = $2 where id = any($1::uuid[]) and settled <> $2", [
    ids,
    settled,
  ]);
}

/**
 * Requests whose state a block may have changed: those with a transaction under way, and all that ask for
 * one of these assets or for links of it.
 */
export async function requestsTouched(db: Database, assetIds: readonly AssetId[]): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(
    `select id from service.requests request
     where not settled and exists (select from service.transactions where request_id = request.id)
     union
     select id from service.requests where asset_id = any($1::bytea[])`,
    [assetIds.map(toBytes)],
  );
  return rows.map(({ id }) => id);
}

/** Requests that have run out of time since they were last looked at. */
export async function requestsExpired(db: Database): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(
    `select id from service.requests request
     where not settled and expires_at <= now()
       and not exists (select from service.transactions where request_id = request.id)`,
  );
  return rows.map(({ id }) => id);
}

/** Requests that something is still expected of. */
export async function countOpenRequests(db: Database): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    "select count(*) as count from service.requests where not settled",
  );
  return rows[0]?.count ?? 0;
}
