import type { AssetId } from "../../domain/asset/asset.ts";
import type { Position } from "../../domain/index/log-position.ts";
import { fromBytes, hashesOf, joinHashes, toBytes } from "../core/bytes.ts";
import { CopyRows } from "../core/copy.ts";
import type { Database, Transaction } from "../core/pool.ts";

export type LinkChange = { kind: "added" | "revoked"; parent: AssetId; child: AssetId; position: Position };

/** The registry and the index disagree on a link: something was missed, so nothing more may be written. */
export class LinkOutOfTurnError extends Error {
  override readonly name = "LinkOutOfTurnError";
}

/** The newest link of a pair as the changes before have left it. */
type Newest = { nth: number; stands: boolean; added?: NewLink };
type NewLink = LinkChange & { nth: number; revokedAt?: Position };
type Revocation = LinkChange & { nth: number };

/**
 * Applies link events, which come in the order of the chain: one query for the pairs that they touch, then
 * one statement for all that they add and one for all that they revoke.
 * @throws LinkOutOfTurnError at an event that cannot follow what is known of its pair
 */
export async function applyLinkChanges(tx: Transaction, changes: readonly LinkChange[]): Promise<void> {
  if (changes.length === 0) return;
  const newest = await newestOfPairs(tx, changes);
  const added: NewLink[] = [];
  const revoked: Revocation[] = [];
  for (const change of changes) {
    const key = pairKey(change);
    const link = newest.get(key) ?? { nth: 0, stands: false };
    if (link.stands === (change.kind === "added")) throw outOfTurn(change);
    if (change.kind === "added") {
      const next: NewLink = { ...change, nth: link.nth + 1 };
      added.push(next);
      newest.set(key, { nth: next.nth, stands: true, added: next });
    } else {
      if (link.added) link.added.revokedAt = change.position;
      else revoked.push({ ...change, nth: link.nth });
      newest.set(key, { nth: link.nth, stands: false });
    }
  }
  await insertLinks(tx, added);
  await revokeLinks(tx, revoked);
}

const pairKey = ({ parent, child }: Pick<LinkChange, "parent" | "child">) => parent + child;

function outOfTurn({ kind, parent, child, position }: LinkChange): LinkOutOfTurnError {
  return new LinkOutOfTurnError(
    `The link ${parent} -> ${child} cannot be ${kind} at block ${position.blockNumber}, ` +
      `log ${position.logIndex}: the index misses an earlier event of it`,
  );
}

async function newestOfPairs(tx: Transaction, changes: readonly LinkChange[]): Promise<Map<string, Newest>> {
  const pairs = [...new Map(changes.map((change) => [pairKey(change), change])).values()];
  const { rows } = await tx.query<{ ordinal: number; nth: number; stands: boolean }>(
    `select parent.place as ordinal, newest.nth, newest.stands
     from ${hashesOf("$1")} parent
     join ${hashesOf("$2")} child using (place)
     cross join lateral (
       select nth, revoked_block is null as stands from chain.links link
       where link.parent = parent.hash and link.child = child.hash
       order by nth desc limit 1) newest`,
    [joinHashes(pairs.map(({ parent }) => parent)), joinHashes(pairs.map(({ child }) => child))],
  );
  return new Map(
    rows.map(({ ordinal, nth, stands }) => [pairKey(pairs[ordinal - 1] as LinkChange), { nth, stands }]),
  );
}

const linkColumns =
  "parent, child, nth, block_number, transaction_index, log_index, transaction_hash, " +
  "revoked_block, revoked_transaction_index, revoked_log_index, revoked_transaction_hash";
const linkColumnCount = linkColumns.split(",").length;

async function insertLinks(tx: Transaction, links: readonly NewLink[]): Promise<void> {
  const rows = new CopyRows();
  for (const { parent, child, nth, position, revokedAt } of links) {
    rows.row(linkColumnCount);
    rows.bytes(parent);
    rows.bytes(child);
    rows.integer(nth);
    writePosition(rows, position);
    writePosition(rows, revokedAt);
  }
  await rows.insertInto(tx, `chain.links (${linkColumns})`);
}

function writePosition(rows: CopyRows, position: Position | undefined): void {
  if (position === undefined) {
    for (let column = 0; column < 4; column += 1) rows.null();
    return;
  }
  rows.bigint(position.blockNumber);
  rows.bigint(position.transactionIndex);
  rows.bigint(position.logIndex);
  rows.bytes(position.transactionHash);
}

async function revokeLinks(tx: Transaction, revocations: readonly Revocation[]): Promise<void> {
  if (revocations.length === 0) return;
  await tx.query(
    `update chain.links link
     set revoked_block = revoked.block_number, revoked_transaction_index = revoked.transaction_index,
       revoked_log_index = revoked.log_index, revoked_transaction_hash = revoked.transaction_hash
     from unnest($1::bytea[], $2::bytea[], $3::integer[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bytea[])
       as revoked (parent, child, nth, block_number, transaction_index, log_index, transaction_hash)
     where link.parent = revoked.parent and link.child = revoked.child and link.nth = revoked.nth`,
    [
      revocations.map(({ parent }) => toBytes(parent)),
      revocations.map(({ child }) => toBytes(child)),
      revocations.map(({ nth }) => nth),
      revocations.map(({ position }) => position.blockNumber),
      revocations.map(({ position }) => position.transactionIndex),
      revocations.map(({ position }) => position.logIndex),
      revocations.map(({ position }) => toBytes(position.transactionHash)),
    ],
  );
}

/**
 * The block in which the links from an asset changed last, as an expression of SQL: null where there never was
 * one. Times of blocks do not fall, so its time is that of the newest change. It reads the end of two indexes,
 * however many links there are.
 */
export function newestLinkChange(parent: string): string {
  const last = (block: "block_number" | "revoked_block", which: string) =>
    `(select ${block} from chain.links where parent = ${parent} and ${which} order by ${block} desc limit 1)`;
  return `greatest(
      ${last("block_number", "revoked_block is null")},
      ${last("revoked_block", "revoked_block is not null")})`;
}

/** What each of these assets points to now, in the order of linking, at most `most` of each. */
export async function outgoingLinks(
  db: Database,
  ids: readonly AssetId[],
  most: number,
): Promise<Map<AssetId, AssetId[]>> {
  const { rows } = await db.query<{ parent: Buffer; children: Buffer[] }>(
    `select asked.id as parent, array_agg(link.child order by link.block_number, link.log_index) as children
     from unnest($1::bytea[]) as asked (id)
     cross join lateral (
       select child, block_number, log_index from chain.links
       where parent = asked.id and revoked_block is null
       order by block_number, log_index limit $2) link
     group by asked.id`,
    [ids.map(toBytes), most],
  );
  return new Map(rows.map(({ parent, children }) => [fromBytes(parent), children.map(fromBytes)]));
}

/** Where a link stands among those of its asset. */
export type LinkPlace = readonly [blockNumber: number, logIndex: number];

/**
 * Some of the links that stand: those to an asset or those from it, in the order of linking.
 * @returns the assets at their other ends, and where the last of these stands if there are more; null if not
 */
export async function linksPart(
  db: Database,
  id: AssetId,
  direction: "from" | "to",
  after: LinkPlace,
  { skip, size }: { skip: number; size: number },
): Promise<{ ids: AssetId[]; end: LinkPlace | null }> {
  const [given, other] = direction === "from" ? ["child", "parent"] : ["parent", "child"];
  // One row: a thousand of them take longer to read than to find.
  const { rows } = await db.query<{ ids: string; count: number; block_number: number; log_index: number }>(
    `select coalesce(string_agg(encode(id, 'hex'), ' ' order by block_number, log_index), '') as ids,
       count(*) as count,
       (array_agg(block_number order by block_number, log_index))[$5::int] as block_number,
       (array_agg(log_index order by block_number, log_index))[$5::int] as log_index
     from (
       select ${other} as id, block_number, log_index from chain.links
       where revoked_block is null and (${given}, block_number, log_index) > ($1::bytea, $2::bigint, $3::bigint)
         and ${given} <= $1::bytea
       order by ${given}, block_number, log_index offset $4 limit $5::int + 1) part`,
    [toBytes(id), ...after, skip, size],
  );
  const [part] = rows;
  if (part === undefined) throw new Error("An aggregate answers one row");
  const ids = part.ids === "" ? [] : part.ids.split(" ").map((digits): AssetId => `0x${digits}`);
  return { ids: ids.slice(0, size), end: part.count > size ? [part.block_number, part.log_index] : null };
}

export type PairState = { child: AssetId; times: number; stands: boolean };

/** For each child: how often the parent was linked to it, and whether that link stands now. */
export async function pairStates(
  db: Database,
  parent: AssetId,
  children: readonly AssetId[],
): Promise<PairState[]> {
  const { rows } = await db.query<{ child: Buffer; times: number; stands: boolean }>(
    // The newest of each pair says both: they are counted without gaps.
    `select asked.child, coalesce(newest.nth, 0) as times, newest.nth is not null and newest.revoked_block is null as stands
     from unnest($2::bytea[]) with ordinality as asked (child, ordinal)
     left join lateral (
       select nth, revoked_block from chain.links where parent = $1 and child = asked.child
       order by nth desc limit 1) newest on true
     order by asked.ordinal`,
    [toBytes(parent), children.map(toBytes)],
  );
  return rows.map(({ child, times, stands }) => ({ child: fromBytes(child), times, stands }));
}
