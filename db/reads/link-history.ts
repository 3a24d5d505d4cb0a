import type { AssetId } from "../../domain/asset/asset.ts";
import type { Database } from "../core/pool.ts";
import { ask, statement } from "../core/statement.ts";
import { timeOf, whole } from "./by-ids.ts";

/**
 * Where a link stands in the history of an asset's links: those that stand (0) by their additions, then those that are
 * revoked (1) by their revocations.
 */
export type HistoryPlace = readonly [isRevoked: number, blockNumber: number, logIndex: number];

/** A page of the links that an asset has or had, both directions; null where a direction has ended. */
export type HistoryQuestion = {
  id: AssetId;
  from: HistoryPlace | null;
  to: HistoryPlace | null;
  skip: number;
  size: number;
};

/** A link that stands or stood; times are Unix seconds. */
export type PastLink = {
  /** The asset at the other end. */
  id: AssetId;
  addedOn: number;
  revokedOn: number | undefined;
  /** Whether the block of its addition or revocation is final. */
  isFinal: boolean;
};

/** @property end where the last of these links stands if there are more; null if not */
export type HistoryPart = { links: PastLink[]; end: HistoryPlace | null };

export type HistoryReading = { from: HistoryPart; to: HistoryPart };

/** Each branch keeps to its index, and is sorted as that is. */
const part = (name: "from" | "to", own: "parent" | "child", other: "parent" | "child"): string => `
  cross join lateral (
    select coalesce(json_agg(json_build_array(encode(id, 'hex'), ${timeOf("added")},
      case when phase = 1 then ${timeOf("block")} end, phase, block, log, block <= cursor.final_number)
      order by phase, block, log), '[]')::text as links
    from (
      select * from (
        (select ${other} as id, block_number as added, 0 as phase, block_number as block, log_index as log
        from chain.links
        where ${own} = asked.id and revoked_block is null and asked.${name}_phase = 0
          and (block_number, log_index) > (asked.${name}_block, asked.${name}_log)
        order by block_number, log_index limit asked.skip + asked.size + 1)
        union all
        (select ${other}, block_number, 1, revoked_block, revoked_log_index
        from chain.links
        where ${own} = asked.id and revoked_block is not null
          and revoked_block >= case asked.${name}_phase when 0 then -1 else asked.${name}_block end
          and (asked.${name}_phase = 0
            or (revoked_block, revoked_log_index) > (asked.${name}_block, asked.${name}_log))
        order by revoked_block, revoked_log_index limit asked.skip + asked.size + 1)) both_kinds
      order by phase, block, log offset asked.skip limit asked.size + 1) shown) as to_${other}`;

const history = statement(`
  select asked.place, to_parent.links as from_links, to_child.links as to_links
  from (
    select place, decode(substr(id, 3), 'hex') as id, from_phase, from_block, from_log, to_phase, to_block, to_log,
      skip, size
    from json_to_recordset($1::json) as listed (place integer, id text, from_phase integer, from_block bigint,
      from_log bigint, to_phase integer, to_block bigint, to_log bigint, skip integer, size integer)) asked
  cross join lateral (select from chain.assets where id = asked.id limit 1) asset
  cross join lateral (select final_number from chain.cursor limit 1) cursor
  ${part("from", "child", "parent")}
  ${part("to", "parent", "child")}`);

type LinkJson = [
  id: string,
  addedOn: number,
  revokedOn: number | null,
  ...place: [isRevoked: number, blockNumber: number, logIndex: number],
  isFinal: boolean,
];

/** Links that stand and links that were revoked; undefined of what is no asset of the chain. */
export async function readLinkHistories(
  db: Database,
  questions: readonly HistoryQuestion[],
): Promise<(HistoryReading | undefined)[]> {
  const asked = questions.map(({ id, from, to, skip, size }, place) => {
    const [from_phase, from_block, from_log] = from ?? [null, null, null];
    const [to_phase, to_block, to_log] = to ?? [null, null, null];
    return { place, id, from_phase, from_block, from_log, to_phase, to_block, to_log, skip, size };
  });
  const readings: (HistoryReading | undefined)[] = questions.map(() => undefined);
  type Row = { place: number; from_links: string; to_links: string };
  for (const { place, from_links, to_links } of await ask<Row>(db, history, [JSON.stringify(asked)])) {
    const size = questions[place]?.size ?? 0;
    readings[place] = { from: parsePart(from_links, size), to: parsePart(to_links, size) };
  }
  return readings;
}

function parsePart(json: string, size: number): HistoryPart {
  const rows = JSON.parse(json) as LinkJson[];
  const shown = rows.slice(0, size);
  const links = shown.map(
    ([id, addedOn, revokedOn, , , , isFinal]): PastLink => ({
      id: `0x${id}`,
      addedOn: whole(addedOn),
      revokedOn: revokedOn === null ? undefined : whole(revokedOn),
      isFinal,
    }),
  );
  const last = shown.at(-1);
  const hasMore = rows.length > size && last !== undefined;
  return { links, end: hasMore ? [last[3], whole(last[4]), whole(last[5])] : null };
}
