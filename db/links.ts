import type { AssetId } from "../domain/asset.ts";
import type { Position } from "../domain/position.ts";
import { fromBytes, toBytes } from "./bytes.ts";
import type { Database, Transaction } from "./pool.ts";

export type LinkChange = { kind: "added" | "revoked"; parent: AssetId; child: AssetId; position: Position };

/** The registry and the index disagree on a link: something was missed, so nothing more may be written. */
export class LinkOutOfTurnError extends Error {
  override readonly name = "LinkOutOfTurnError";
}

/** Applies a link event; events of one pair must come in the order of the chain. */
export async function applyLinkChange(tx: Transaction, change: LinkChange): Promise<void> {
  const { position } = change;
  const values = [
    toBytes(change.parent),
    toBytes(change.child),
    position.blockNumber,
    position.transactionIndex,
    position.logIndex,
    toBytes(position.transactionHash),
  ];
  const { rowCount } = await tx.query(change.kind === "added" ? addLink : revokeLink, values);
  if (rowCount !== 1) {
    throw new LinkOutOfTurnError(
      `The link ${change.parent} -> ${change.child} cannot be ${change.kind} at block ${position.blockNumber}, ` +
        `log ${position.logIndex}: the index misses an earlier event of it`,
    );
  }
}

const addLink = `
  insert into chain.links (parent, child, nth, block_number, transaction_index, log_index, transaction_hash)
  select $1, $2, coalesce(max(nth), 0) + 1, $3, $4, $5, $6 from chain.links
  where parent = $1 and child = $2
  having bool_and(revoked_block is not null) is not false`;

const revokeLink = `
  update chain.links
  set revoked_block = $3, revoked_transaction_index = $4, revoked_log_index = $5, revoked_transaction_hash = $6
  where parent = $1 and child = $2 and revoked_block is null`;

/** Links that stand: `from` points to the asset, `to` is what it points to, each in the order of linking. */
export async function standingLinks(db: Database, id: AssetId): Promise<{ from: AssetId[]; to: AssetId[] }> {
  const { rows } = await db.query<{ parent: Buffer; child: Buffer; outgoing: boolean }>(
    `select parent, child, parent = $1 as outgoing from chain.links
     where (parent = $1 or child = $1) and revoked_block is null
     order by block_number, log_index`,
    [toBytes(id)],
  );
  return {
    from: rows.filter(({ outgoing }) => !outgoing).map(({ parent }) => fromBytes(parent)),
    to: rows.filter(({ outgoing }) => outgoing).map(({ child }) => fromBytes(child)),
  };
}

export type PairState = { child: AssetId; times: number; stands: boolean };

/** For each child: how often the parent was linked to it, and whether that link stands now. */
export async function pairStates(
  db: Database,
  parent: AssetId,
  children: readonly AssetId[],
): Promise<PairState[]> {
  const { rows } = await db.query<{ child: Buffer; times: number; stands: boolean }>(
    `select asked.child, count(link.nth)::int as times,
       count(link.nth) > count(link.revoked_block) as stands
     from unnest($2::bytea[]) with ordinality as asked (child, ordinal)
     left join chain.links link on link.parent = $1 and link.child = asked.child
     group by asked.child, asked.ordinal order by asked.ordinal`,
    [toBytes(parent), children.map(toBytes)],
  );
  return rows.map(({ child, times, stands }) => ({ child: fromBytes(child), times, stands }));
}
