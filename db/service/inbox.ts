import type { Address } from "viem";
import { toBytes } from "../../domain/bytes.ts";
import type { AssetState } from "../../domain/request/state.ts";
import type { Database } from "../core/pool.ts";
import { findListedRequests } from "./requests/find.ts";
import type { ListedRequest } from "./requests/request.ts";
import type { User } from "./wallets.ts";

/** Position of a request in a list: its time in UTC with microseconds, and its id. */
export type InboxPlace = { at: string; id: string };

export type InboxPage = {
  signer: Address | undefined;
  /** By the cached state, which may lag behind the derived one for moments. */
  state: AssetState | undefined;
  after: InboxPlace | undefined;
  skip: number;
  size: number;
};

/** Newest first, each with its position. */
export type Inbox = { entries: { request: ListedRequest; place: InboxPlace }[]; more: boolean };

const place = `id, to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at`;
const isAsked = `($1::text is null or noted_state = $1)
  and ($2::timestamptz is null or (created_at, id) < ($2::timestamptz, $3::uuid))`;
const newestFirst = "order by created_at desc, id desc";

/** Requests of one tenant. */
export async function inboxOfTenant(db: Database, tenant: string, page: InboxPage): Promise<Inbox> {
  const { rows } = await db.query<InboxPlace>(
    `select ${place} from service.requests
     where tenant = $4 and ($5::bytea is null or author = $5) and ${isAsked}
     ${newestFirst} offset $6 limit $7`,
    [
      ...asked(page),
      tenant,
      page.signer === undefined ? null : toBytes(page.signer),
      page.skip,
      page.size + 1,
    ],
  );
  return await inboxAt(db, rows, page.size);
}

/** Requests of anybody to the wallets of a user. */
export async function inboxOfUser(db: Database, user: User, page: InboxPage): Promise<Inbox> {
  // Merges the ordered lists of the wallets, at most a page of each.
  const { rows } = await db.query<InboxPlace>(
    `select ${place} from (
       select address from service.wallets
       where issuer = $4 and subject = $5 and ($6::bytea is null or address = $6)
     ) wallet cross join lateral (
       select id, created_at from service.requests where author = wallet.address and ${isAsked}
       ${newestFirst} limit $7::bigint + $8::bigint
     ) part
     ${newestFirst} offset $7 limit $8`,
    [
      ...asked(page),
      user.issuer,
      user.subject,
      page.signer === undefined ? null : toBytes(page.signer),
      page.skip,
      page.size + 1,
    ],
  );
  return await inboxAt(db, rows, page.size);
}

const asked = ({ state, after }: InboxPage) => [state ?? null, after?.at ?? null, after?.id ?? null];

async function inboxAt(db: Database, places: InboxPlace[], size: number): Promise<Inbox> {
  const here = places.slice(0, size);
  const ids = here.map(({ id }) => id);
  const found = new Map((await findListedRequests(db, ids)).map((one) => [one.id, one]));
  const entries = here.flatMap((place) => {
    const request = found.get(place.id);
    return request === undefined ? [] : [{ request, place }];
  });
  return { entries, more: places.length > size };
}
