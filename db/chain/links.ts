import type { AssetId } from "../../domain/asset/asset.ts";
import { toBytes } from "../../domain/bytes.ts";
import type { Position } from "../../domain/index/log-position.ts";
import { CopyRows } from "../core/copy.ts";
import { hashesOf, joinHashes } from "../core/hash-list.ts";
import type { Transaction } from "../core/pool.ts";

export type LinkEvent = { kind: "added" | "revoked"; parent: AssetId; child: AssetId; position: Position };

/** Registry and index disagree on a link: an event was missed, so indexing must halt. */
export class LinkOutOfTurnError extends Error {
  override readonly name = "LinkOutOfTurnError";
}

/** The newest link of a pair after the previous changes. */
type Newest = { nth: number; stands: boolean; added?: NewLink };
type NewLink = LinkEvent & { nth: number; revokedAt?: Position };
type Revocation = LinkEvent & { nth: number };

/**
 * Applies link events in the order of the chain: one query for their pairs, then one statement for all additions and one
 * for all revocations.
 * @throws LinkOutOfTurnError at an event that contradicts the stored link of its pair
 */
export async function applyLinkChanges(tx: Transaction, changes: readonly LinkEvent[]): Promise<void> {
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

const pairKey = ({ parent, child }: Pick<LinkEvent, "parent" | "child">) => parent + child;

function outOfTurn({ kind, parent, child, position }: LinkEvent): LinkOutOfTurnError {
  return new LinkOutOfTurnError(
    `The link ${parent} -> ${child} cannot be ${kind} at block ${position.blockNumber}, ` +
      `log ${position.logIndex}: the index misses an earlier event of it`,
  );
}

async function newestOfPairs(tx: Transaction, changes: readonly LinkEvent[]): Promise<Map<string, Newest>> {
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
    rows.map(({ ordinal, nth, stands }) => [pairKey(pairs[ordinal - 1] as LinkEvent), { nth, stands }]),
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
