import { toBytes } from "../../../domain/bytes.ts";
import type { AssetState } from "../../../domain/request/state.ts";
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
import { ask, statement } from "../../core/statement.ts";
import { conditionsOf, equals, fewCreations } from "./filter.ts";
import type { ListQuestion, Part } from "./question.ts";

/** Creations that may not be on the chain, as the partial indexes hold them. */
const requestList: Listing = {
  table: "service.requests",
  within: "kind = 'create' and not (settled and noted_state = 'Confirmed')",
  order: ["created_at", "id"],
  read: {
    id: "id::text",
    place: [`to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`, "id::text"],
  },
};
const everyCreation: Listing = { ...requestList, within: "kind = 'create'" };

const lastUuid = "ffffffff-ffff-ffff-ffff-ffffffffffff";
const firstUuid = "00000000-0000-0000-0000-000000000000";

export async function requestPart(
  pool: Pool,
  question: ListQuestion,
  bound: Bound,
): Promise<Part | undefined> {
  const { requests, tenant, filter, state, limit } = question;
  if (requests === undefined) return undefined;
  const few =
    filter.nameStart === undefined
      ? undefined
      : await fewCreations(pool, tenant, filter.nameStart, requestList.within);
  const bounds = requestBounds(question, bound);
  if (few !== undefined) {
    const conditions = requestConditions(question, bound);
    const rows = pick(requestList, bound.add(few, "uuid[]"), bounds, conditions, limit);
    return { rows, read: requestsRead("request"), end: undefined };
  }
  const equal: Equal[] = [["tenant", bound.add(tenant, "text")]];
  const held = filter.file !== undefined ? "file" : filter.author !== undefined ? "author" : undefined;
  if (filter.file !== undefined) equal.push(["file_digest", bound.add(filter.file, "bytea")]);
  else if (filter.author !== undefined) equal.push(["author", bound.add(toBytes(filter.author), "bytea")]);
  else if (state !== undefined) equal.push(["noted_state", bound.add(state, "text")]);
  const conditions = [
    ...conditionsOf(filter, held).map((condition) => condition(bound)),
    ...(held === undefined ? [] : noted(state, bound)),
    notOnChain(question, bound),
  ];
  return {
    rows: walk(requestList, equal, bounds, conditions, limit),
    read: requestsRead("request"),
    end: endOfWalk(requestList, equal, bounds, limit),
  };
}

const requestsRead = (part: "request" | "late"): string => `${idAndPlace(requestList)}, null from ${part}`;

/** @param late requests that got to the chain after the first page was read, which are still listed */
export function latePart(question: ListQuestion, late: readonly string[], bound: Bound): Part {
  const ids = bound.add(late, "uuid[]");
  const conditions = requestConditions(question, bound);
  return {
    rows: pick(everyCreation, ids, requestBounds(question, bound), conditions, question.limit),
    read: requestsRead("late"),
    end: undefined,
  };
}

function requestConditions(question: ListQuestion, bound: Bound): string[] {
  const { tenant, filter, state } = question;
  return [
    ...[equals("tenant", tenant, "text"), ...conditionsOf(filter)].map((condition) => condition(bound)),
    ...noted(state, bound),
    notOnChain(question, bound),
  ];
}

const noted = (state: AssetState | undefined, bound: Bound): string[] =>
  state === undefined ? [] : [equals("noted_state", state, "text")(bound)];

function notOnChain({ requests }: ListQuestion, bound: Bound): string {
  const upTo = bound.add(requests?.upTo ?? Number.MAX_SAFE_INTEGER, "bigint");
  return `not exists (
    select from chain.assets asset where asset.id = listed.asset_id and asset.block_number <= ${upTo})`;
}

function requestBounds({ requests, createdFrom, createdTo }: ListQuestion, bound: Bound): Bounds {
  const below = requests?.below;
  const end = createdTo?.toISOString();
  const place: Place<string> = below ?? ["infinity", lastUuid];
  const isEarlier = end !== undefined && (below === undefined || end <= place[0]);
  const [at, id] = isEarlier ? [end, firstUuid] : place;
  return {
    below: [bound.add(at, "timestamptz"), bound.add(id, "uuid")],
    from: bound.add(createdFrom?.toISOString() ?? "-infinity", "timestamptz"),
  };
}

const mostMined = 10_000;

/** Creations of the tenant that a block after that of the first page brought to the chain; undefined of too many. */
export async function creationsMinedSince(
  pool: Pool,
  { requests, state, tenant }: ListQuestion,
): Promise<string[] | undefined> {
  if (requests?.upTo === undefined || state !== undefined) return [];
  const rows = await ask<{ id: string | null }>(pool, minedSince, [requests.upTo, tenant]);
  return rows.length > mostMined ? undefined : rows.flatMap(({ id }) => id ?? []);
}

const minedSince = statement(`
  select request.id from (
    select id from chain.assets where block_number > $1
    order by block_number, log_index limit ${mostMined + 1}) mined
  left join lateral (
    select id from service.requests
    where asset_id = mined.id and kind = 'create' and tenant = $2 limit 1) request on true`);
