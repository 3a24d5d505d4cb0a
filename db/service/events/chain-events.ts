import type { ChainKind } from "../../../domain/events/kinds.ts";
import { limits } from "../../../domain/limits.ts";
import type { Transaction } from "../../core/pool.ts";
import { ask, statement } from "../../core/statement.ts";

/**
 * Events of the chain, written in the transaction that changes the index. Each statement reads them from the index, so
 * that they say what it says.
 */

const columns =
  "kind, asset_id, target_id, author, transaction_hash, block_number, block_hash, block_time, details";

/** In SQL: of what a block holds, the columns that assets, links and revocations share. */
const place = `block.number as block_number, block.hash as block_hash, block.timestamp as block_time`;

/** In SQL: events of one kind about assets; `from` names an `asset` and its `block`. */
const ofAssets = (kind: ChainKind, from: string) => `
  select '${kind}' as kind, asset.id as asset_id, null::bytea as target_id, asset.author, asset.transaction_hash, ${place},
    jsonb_build_object('name', left(name, ${limits.text.name}), 'fileName', left(file_name, ${limits.text.fileName}),
      'hash', left(asset.hash, ${limits.text.hash}), 'method', left(method, ${limits.text.method})) as details,
    asset.log_index
  from ${from}`;

/** In SQL: events of one kind about links; `from` names a `link`, its `asset`, which is the parent, and its `block`. */
const ofLinks = (kind: ChainKind, from: string, of: "" | "revoked_" = "") => `
  select '${kind}' as kind, link.parent as asset_id, link.child as target_id, asset.author,
    link.${of}transaction_hash as transaction_hash, ${place}, null::jsonb as details, link.${of}log_index as log_index
  from ${from}`;

const write = (events: string, order: string) => `
  insert into service.events (${columns})
  select ${columns} from (${events}) told
  order by ${order}`;

const oldestFirst = "block_number, log_index";
const newestFirst = "block_number desc, log_index desc";

/** In SQL: the blocks from after `$1` to `$2`, and what they hold. Block by block: the plan reads nothing else. */
const inBlocks = {
  range: "(select * from chain.blocks where number > $1 and number <= $2 offset 0) block",
  holding: (name: string, condition: string) =>
    `cross join lateral (select * from chain.${condition} = block.number offset 0) ${name}`,
  parent: "join chain.assets asset on asset.id = link.parent",
};
const { range, holding, parent } = inBlocks;
const assetsInBlocks = `${range} ${holding("asset", "assets where block_number")}`;
const linksInBlocks = `${range} ${holding("link", "links where block_number")} ${parent}`;
const revocationsInBlocks = `${range} ${holding("link", "links where revoked_block")} ${parent}`;

const added = statement(
  write(
    `${ofAssets("asset.registered", assetsInBlocks)}
     union all ${ofLinks("link.added", linksInBlocks)}
     union all ${ofLinks("link.revoked", revocationsInBlocks, "revoked_")}`,
    oldestFirst,
  ),
);
const final = statement(write(ofAssets("asset.final", assetsInBlocks), oldestFirst));
const removed = statement(
  write(
    `${ofAssets("asset.rolled_back", assetsInBlocks)}
     union all ${ofLinks("link.rolled_back", linksInBlocks)}
     union all ${ofLinks("link.revocation_rolled_back", revocationsInBlocks, "revoked_")}`,
    newestFirst,
  ),
);

/** Tells of what the index holds in the blocks from after `from` to `to`. */
export async function tellAdded(tx: Transaction, from: number, to: number): Promise<void> {
  await ask(tx, added, [from, to]);
}

/** Tells of the assets of these blocks, which became final. */
export async function tellFinal(tx: Transaction, from: number, to: number): Promise<void> {
  await ask(tx, final, [from, to]);
}

/** Tells of what a reorg is about to remove from after `ancestor` to `last`, newest first. */
export async function tellRolledBack(tx: Transaction, ancestor: number, last: number): Promise<void> {
  await ask(tx, removed, [ancestor, last]);
}

/** In SQL: assets, links and revocations of one index that the other does not have in the same block. */
function onlyIn(index: string, other: string) {
  const same = (table: string, column: string, condition: string) => `not exists (
    select from ${other}.${table} twin join ${other}.blocks there on there.number = twin.${column}
    where ${condition} and there.hash = block.hash)`;
  const link = "twin.parent = link.parent and twin.child = link.child and twin.nth = link.nth";
  const links = (
    column: string,
  ) => `${index}.links link join ${index}.blocks block on block.number = link.${column}
    join ${index}.assets asset on asset.id = link.parent where ${same("links", column, link)}`;
  return {
    assets: `${index}.assets asset join ${index}.blocks block on block.number = asset.block_number
      where ${same("assets", "block_number", "twin.id = asset.id")}`,
    links: links("block_number"),
    revocations: links("revoked_block"),
  };
}

/**
 * In a rebuild of the index: tells of the differences between the live index and the new one, and of nothing that both
 * have.
 */
export async function tellRebuilt(tx: Transaction): Promise<void> {
  const lost = onlyIn("chain_live", "chain");
  const found = onlyIn("chain", "chain_live");
  await tx.query(
    write(
      `${ofAssets("asset.rolled_back", lost.assets)}
       union all ${ofLinks("link.rolled_back", lost.links)}
       union all ${ofLinks("link.revocation_rolled_back", lost.revocations, "revoked_")}`,
      newestFirst,
    ),
  );
  await tx.query(
    write(
      `${ofAssets("asset.registered", found.assets)}
       union all ${ofLinks("link.added", found.links)}
       union all ${ofLinks("link.revoked", found.revocations, "revoked_")}`,
      oldestFirst,
    ),
  );
  const isNewlyFinal = `asset.block_number <= (select final_number from chain.cursor)
    and (asset.block_number > (select final_number from chain_live.cursor) or block.hash not in (
      select hash from chain_live.blocks))`;
  await tx.query(
    write(
      ofAssets(
        "asset.final",
        `chain.assets asset join chain.blocks block on block.number = asset.block_number where ${isNewlyFinal}`,
      ),
      oldestFirst,
    ),
  );
}
