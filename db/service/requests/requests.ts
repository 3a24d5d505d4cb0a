import { type Address, type Hash, type Hex, numberToHex } from "viem";
import { type AssetDetails, type AssetId, rawDetails } from "../../../domain/asset/asset.ts";
import { linkNonceOf } from "../../../domain/asset/gasless.ts";
import { hashAsset, type Registry } from "../../../domain/asset/typed-data.ts";
import type { Hint } from "../../../domain/request/hints.ts";
import type { AssetState, Facts } from "../../../domain/request/state.ts";
import { type Cancellation, requestsVoided, subjectOf } from "../../chain/cancellations.ts";
import { fromBytes, hashesOf, joinHashes, toBytes } from "../../core/bytes.ts";
import type { Database, Transaction } from "../../core/pool.ts";
import { searchKeys } from "../../core/search-keys.ts";
import { ask, type Statement, statement } from "../../core/statement.ts";
import { requestsForLinks } from "./complete-links.ts";
import {
  type OutlineRow,
  parseOutline,
  parseRequest,
  type RequestRow,
  requestFacts,
  requestFactsFrom,
} from "./facts.ts";

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
  /** What a link change is signed with for the gasless way. */
  linkNonce: bigint;
  /** Of a creation: `hashStruct(Asset)` of what was asked for. */
  contentHash: Hex | undefined;
  /** Of a link change: the block that the index had reached; only later ones can have carried it out. */
  afterBlock: number | undefined;
  createdAt: Date;
  expiresAt: Date;
  /** Until when the stored gasless signature is good, in seconds since 1970. */
  signatureDeadline: number | undefined;
  facts: Facts;
  /** Transaction that made the change or reverted; else the newest one known, reported ones last. */
  transactionHash: Hash | undefined;
  /** What holds up its transactions, as far as they are under way. */
  hint: Hint | undefined;
  /** Block of the change or the revert, and its time in seconds since 1970. */
  blockNumber: number | undefined;
  blockTime: number | undefined;
  /** Blocks on top of that block, itself included. */
  confirmations: number | undefined;
  settled: boolean;
  /** Whether the facts that ended it are final. */
  endIsFinal: boolean;
  /** The newest entry of its history, of which `ordinal` counts. */
  noted: { ordinal: number; state: AssetState; reason: string | undefined } | undefined;
  /** When that was noted. */
  updatedAt: Date;
};

/** A request without its texts. A state follows from it. */
export type RequestOutline = Omit<Request, "calldata" | "change">;

/** A request with no more of what it asks for than a list shows. */
export type ListedRequest = RequestOutline & {
  change: { kind: "create"; details: Pick<AssetDetails, "name"> } | Exclude<Change, { kind: "create" }>;
};

/** Of a request what says who may know of it. */
export type RequestRef = Pick<Request, "id" | "tenant" | "author">;

export async function insertRequest(tx: Transaction, request: NewRequest): Promise<void> {
  const { change } = request;
  const creation = change.kind === "create" ? change : undefined;
  const keys = creation && searchKeys(creation.details);
  await ask(tx, insert, [
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
    keys?.nameKey ?? null,
    keys?.fileDigest ?? null,
    creation ? null : toBytes(numberToHex(linkNonceOf(request.id), { size: 32 })),
  ]);
  if (change.kind === "create") return;
  await tx.query(
    `insert into service.request_targets (request_id, ordinal, child, nth)
     select $1, ordinal, child, nth
     from unnest($2::bytea[], $3::int[]) with ordinality as target (child, nth, ordinal)`,
    [request.id, change.targets.map(({ child }) => toBytes(child)), change.targets.map(({ nth }) => nth)],
  );
}

const insert = statement(`
  insert into service.requests
    (id, tenant, kind, author, asset_id, chain_id, registry, calldata, salt, details, content_hash, expires_at,
      name_key, file_digest, link_nonce, after_block)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, now() + make_interval(secs => $12), $13, $14, $15,
    case when $3 <> 'create' then (select block_number from chain.cursor limit 1) end)`);

const byId = statement(`${requestFacts} where request.id = $1`);

export async function findRequest(db: Database, id: string): Promise<Request | undefined> {
  const [row] = await ask<RequestRow>(db, byId, [id]);
  return row && parseRequest(row);
}

/**
 * The ids come as JSON, whose length the planner does not look at: of an array it does, and then it plans every
 * time, which takes longer than to run. `offset 0` keeps it from reading all requests before it picks these.
 */
const byIds = (texts: "all" | "name" | "none") =>
  statement(`
  ${requestFactsFrom(
    `(
    select stored.* from json_array_elements_text($1::json) asked (id)
    cross join lateral (select * from service.requests where id = asked.id::uuid limit 1) stored offset 0) request`,
    { texts },
  )}
  order by request.created_at, request.id`);
const [whole, named, outlined] = [byIds("all"), byIds("name"), byIds("none")];

/** With all their texts: for few, or for those that `requestsThatFit` answers. */
export async function findRequests(db: Database, ids: readonly string[]): Promise<Request[]> {
  return (await rowsOf<RequestRow>(db, whole, ids)).map(parseRequest);
}

export async function findRequestOutlines(db: Database, ids: readonly string[]): Promise<RequestOutline[]> {
  return (await rowsOf<OutlineRow>(db, outlined, ids)).map(parseOutline);
}

/** For a list, which shows of their texts the names alone. */
export async function findListedRequests(db: Database, ids: readonly string[]): Promise<ListedRequest[]> {
  type ListedRow = OutlineRow & { details: Pick<AssetDetails, "name"> | null };
  return (await rowsOf<ListedRow>(db, named, ids)).map((row) => {
    const { kind, details, targets } = row;
    const outline = parseOutline(row);
    if (kind !== "create") return { ...outline, change: { kind, targets: targets ?? [] } };
    if (details === null) throw new Error(`Request ${row.id} has no content`);
    return { ...outline, change: { kind, details } };
  });
}

async function rowsOf<Row extends OutlineRow>(
  db: Database,
  asked: Statement,
  ids: readonly string[],
): Promise<Row[]> {
  if (ids.length === 0) return [];
  return await ask<Row>(db, asked, [JSON.stringify([...new Set(ids)])]);
}

/** The request that created, or is to create, this asset. */
export async function findCreation(db: Database, assetId: AssetId): Promise<Request | undefined> {
  const [row] = await ask<RequestRow>(db, creations, [JSON.stringify([assetId])]);
  return row && parseRequest(row);
}

/** In SQL: the facts of the creations of the assets in the list $1 of JSON. */
const creationFacts = (texts: "all" | "none"): string =>
  requestFactsFrom(
    `(
    select stored.* from json_array_elements_text($1::json) asked (id)
    cross join lateral (
      select * from service.requests where asset_id = decode(substr(asked.id, 3), 'hex') and kind = 'create' offset 0
    ) stored offset 0) request`,
    { kinds: "creations", texts },
  );
export const creationOutlines = creationFacts("none");
const creations = statement(creationFacts("all"));
const outlinesOfCreations = statement(creationOutlines);

/** The same without what it asks for. */
export async function findCreationOutline(
  db: Database,
  assetId: AssetId,
): Promise<RequestOutline | undefined> {
  const [row] = await ask<OutlineRow>(db, outlinesOfCreations, [JSON.stringify([assetId])]);
  return row && parseOutline(row);
}

type LinkTargets = Exclude<Change, { kind: "create" }>["targets"];

const inOrder = (targets: LinkTargets): string =>
  targets
    .map(({ child, nth }) => `${child.slice(2)}:${nth}`)
    .sort()
    .join();

/** Requests of one tenant for exactly this change of links that nobody has made yet, oldest first. */
export async function openLinkRequests(
  db: Database,
  tenant: string,
  { kind, parent, targets }: { kind: "link" | "revoke"; parent: AssetId; targets: LinkTargets },
): Promise<Request[]> {
  const [first] = targets;
  if (first === undefined) return [];
  const { rows } = await db.query<{ id: string }>(
    `select request.id from service.request_targets target
     join service.requests request on request.id = target.request_id
     where target.parent = $1 and target.child = $2 and target.nth = $3
       and request.asset_id = $1 and request.tenant = $4 and request.kind = $5 and request.kind <> 'create'
       and not request.settled and request.noted_state <> 'Committed'
       and case when $7 = (select count(*) from service.request_targets where request_id = request.id)
         then $6 = (
           select string_agg(encode(child, 'hex') || ':' || nth, ',' order by child)
           from service.request_targets where request_id = request.id)
         else false end
     order by request.created_at, request.id`,
    [toBytes(parent), toBytes(first.child), first.nth, tenant, kind, inOrder(targets), targets.length],
  );
  return await findRequests(
    db,
    rows.map(({ id }) => id),
  );
}

/**
 * Keeps this tenant's other requests for links of this parent waiting until the transaction ends: of two for the
 * same change one is made. Other tenants' are none of theirs.
 */
export async function lockParent(tx: Transaction, tenant: string, parent: AssetId): Promise<void> {
  await tx.query("select pg_advisory_xact_lock(hashtextextended($1, 0))", [`${parent} ${tenant}`]);
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
  await ask(tx, lock, [JSON.stringify(ids)]);
}

// One by one in that order, because each is locked inside of the loop over them; JSON as in `byIds`.
const lock = statement(`
  select from (select id::uuid from json_array_elements_text($1::json) asked (id) order by 1) asked
  cross join lateral (select from service.requests where id = asked.id for update) locked`);

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

/** Takes back that the service gave these up: the chain has their change. Should a reorg remove it, they go on. */
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

/** Whether there is any. */
export async function hasRequests(db: Database): Promise<boolean> {
  const { rows } = await db.query<{ any: boolean }>('select exists (select from service.requests) as "any"');
  return rows[0]?.any === true;
}

/** What blocks brought, as far as it concerns requests. */
export type Touching = {
  /** Ids of assets, one by one or as `joinHashes` joins them. */
  assets?: readonly AssetId[] | Buffer;
  /** Links that were added or revoked. */
  links?: readonly { parent: AssetId; child: AssetId }[];
  voided?: readonly Pick<Cancellation, "author" | "subject">[];
};

/**
 * Requests whose state a block may have changed: those with a transaction under way, all that ask for one of
 * these assets or links, and those of which a signature was voided, now, even if they had expired before, or not
 * long ago: one that nobody sent a transaction for settles when that block is final. An asset that is on the chain,
 * and noted so, changes nothing until it is final or gone. Each kind is read from its smaller side: from the open
 * requests, or from what the blocks brought; never all that there have been.
 */
export async function requestsTouched(
  db: Database,
  { assets = [], links = [], voided = [] }: Touching,
): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(
    `with open as materialized (
       select id, kind, author, asset_id, link_nonce, noted_state, given_up_at from service.requests where not settled)
     select request.id from open request
     cross join lateral (select from service.transactions where request_id = request.id limit 1) sent
     where not (
       request.noted_state = 'Committed' and request.kind = 'create' and request.given_up_at is null
       and exists (
         select from chain.assets made
         where made.id = request.asset_id and made.block_number > (select final_number from chain.cursor)
         offset 0))
     union
     select id from service.requests
     where asset_id in (select hash from ${hashesOf("$1")} asset) and (kind = 'create' or not settled)
     union
     select request.id from (${requestsForLinks(`
       select parent.hash as parent, child.hash as child
       from ${hashesOf("$2")} parent join ${hashesOf("$3")} child using (place)`)}) named
     cross join lateral (
       select id, settled, noted_state from service.requests where id = named.id offset 0) request
     where not (request.settled and request.noted_state = 'Confirmed')
     union
     (${requestsVoided("select * from unnest($4::bytea[], $5::bytea[]) as voided (author, subject)")})
     union
     select request.id from open request cross join lateral (
       select from chain.cancellations
       where author = request.author and subject = ${subjectOf("request")}
         and block_number > (select final_number from chain.cursor) - 1024 limit 1) voided`,
    [
      Buffer.isBuffer(assets) ? assets : joinHashes(assets),
      joinHashes(links.map(({ parent }) => parent)),
      joinHashes(links.map(({ child }) => child)),
      voided.map(({ author }) => toBytes(author)),
      voided.map(({ subject }) => toBytes(subject)),
    ],
  );
  return rows.map(({ id }) => id);
}

/** Where a sweep over what has expired goes on; to the microsecond, which a Date is not. */
export type Expired = { id: string; expiresAt: string };

/**
 * Open requests that have run out of time, in that order, some at a time: they may be very many that expire
 * together. One that its author has answered does not count.
 */
export async function requestsExpired(
  db: Database,
  most: number,
  after: Expired | undefined,
): Promise<Expired[]> {
  const { rows } = await db.query<Expired>(
    `select id, expires_at::text as "expiresAt" from service.requests request
     where not settled and expires_at <= now()
       and (expires_at, id) > (coalesce($2::timestamptz, '-infinity'), coalesce($3::uuid, $4::uuid))
       and not exists (
         select from service.transactions
         where request_id = request.id and (by_author or accepted_at is not null))
     order by expires_at, id limit $1`,
    [most, after?.expiresAt, after?.id, "00000000-0000-0000-0000-000000000000"],
  );
  return rows;
}

/** Requests that something is still expected of. */
export async function countOpenRequests(db: Database): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    "select count(*) as count from service.requests where not settled",
  );
  return rows[0]?.count ?? 0;
}

/** A tenant's requests for links of this parent whose change nobody has made yet; at most `most`. */
export async function countOpenLinkRequests(
  db: Database,
  tenant: string,
  parent: AssetId,
  most: number,
): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    `select count(*) as count from (
       select from service.requests
       where asset_id = $1 and tenant = $2 and not settled and kind <> 'create' and noted_state <> 'Committed'
       limit $3) open`,
    [toBytes(parent), tenant, most],
  );
  return rows[0]?.count ?? 0;
}

/** Requests of a tenant that no author has answered and that have not been noted as expired; at most `most`. */
export async function countUnanswered(db: Database, tenant: string, most: number): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    `select count(*) as count from (
       select from service.requests where tenant = $1 and noted_state = 'Received' limit $2) open`,
    [tenant, most],
  );
  return rows[0]?.count ?? 0;
}
