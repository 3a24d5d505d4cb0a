import { toBytes } from "../../../domain/bytes.ts";
import { limits } from "../../../domain/limits.ts";
import {
  type Bound,
  type Bounds,
  type Equal,
  endOfWalk,
  idAndPlace,
  type Listing,
  type Place,
  pick,
  walk,
} from "../../core/keyset.ts";
import type { Pool } from "../../core/pool.ts";
import { assetReading, textBytes } from "../assets.ts";
import { conditionsOf, fewAssets } from "./filter.ts";
import type { ListQuestion, Part } from "./question.ts";

const chainList: Listing = {
  table: "chain.assets",
  within: "true",
  order: ["block_number", "log_index"],
  read: { id: "encode(id, 'hex')", place: ["block_number::text", "log_index::text"] },
};
/** The index of hashes leaves out assets without one, and the planner takes it only where this is said. */
const hashedList: Listing = { ...chainList, within: "file_digest is not null" };

/** @param isAlone in SQL: whether no requests are listed before the assets */
export async function chainPart(
  pool: Pool,
  question: ListQuestion,
  isAlone: string,
  bound: Bound,
): Promise<Part | undefined> {
  const { filter, limit, chain } = question;
  if (chain === undefined) return undefined;
  const few = await fewAssets(pool, filter);
  const bounds = chainBounds(question, chain.below, bound);
  const read = assetsRead(question, isAlone, bound);
  if (few !== undefined) {
    const conditions = conditionsOf(filter).map((condition) => condition(bound));
    return {
      rows: pick(chainList, bound.add(few, "bytea[]"), bounds, conditions, limit),
      read,
      end: undefined,
    };
  }
  const { author, file } = filter;
  const [list, held, equal]: [Listing, "file" | "author" | undefined, Equal[]] =
    file !== undefined
      ? [hashedList, "file", [["file_digest", bound.add(file, "bytea")]]]
      : author !== undefined
        ? [chainList, "author", [["author", bound.add(toBytes(author), "bytea")]]]
        : [chainList, undefined, []];
  const conditions = conditionsOf(filter, held).map((condition) => condition(bound));
  return {
    rows: walk(list, equal, bounds, conditions, limit),
    read,
    end: conditions.length === 0 ? undefined : endOfWalk(list, equal, bounds, limit),
  };
}

/** The assets that are shown, as far as their texts fit together into an answer, the first in any case. */
function assetsRead({ skip, wanted }: ListQuestion, isAlone: string, bound: Bound): string {
  const isShown = `ordinal > ${bound.add(skip, "integer")} and ordinal <= ${bound.add(wanted, "integer")} and ${isAlone}`;
  return `${idAndPlace(chainList)},
      case when bytes > 0 and (total <= ${limits.answerBytes} or total = bytes) then ${assetReading}::text end
    from (
      select sized.*, sum(bytes) over (order by ordinal) as total
      from (
        select stored.*, case when ${isShown} then 1 + ${textBytes} else 0 end as bytes
        from (select asset.*, row_number() over () as ordinal from asset) stored) sized) asset`;
}

const firstFinal = "(select final_number + 1 from chain.cursor)";
const noBlock = String(Number.MAX_SAFE_INTEGER);

/** The first block of a time or later. */
const blockFrom = (time: Date, bound: Bound): string => {
  // Blocks have whole seconds.
  const seconds = bound.add(Math.ceil(time.getTime() / 1000), "bigint");
  return `coalesce((select number from chain.blocks where timestamp >= ${seconds} order by timestamp, number limit 1), ${noBlock})`;
};

function chainBounds(
  { state, createdFrom, createdTo }: ListQuestion,
  [block, log]: Place<number>,
  bound: Bound,
): Bounds {
  const from = [
    ...(createdFrom === undefined ? [] : [blockFrom(createdFrom, bound)]),
    ...(state === "Committed" ? [firstFinal] : []),
  ];
  const before = [
    ...(createdTo === undefined ? [] : [blockFrom(createdTo, bound)]),
    ...(state === "Confirmed" ? [firstFinal] : []),
  ];
  const place = [bound.add(block, "bigint"), bound.add(log, "bigint")] as const;
  return {
    below:
      before.length === 0
        ? place
        : [
            `least(${[...before, place[0]]})`,
            `case when least(${before}) <= ${place[0]} then 0 else ${place[1]} end`,
          ],
    from: from.length === 0 ? bound.add(0, "bigint") : `greatest(${from})`,
  };
}
