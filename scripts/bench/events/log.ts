import pg from "pg";
import type { Reader } from "./plan.ts";

/** An event, and when its transaction committed, in milliseconds since 1970 by PostgreSQL's clock. */
export type Committed = { sequence: number; kind: string; tenant: string | null; asset: string; at: number };

/** Opens the log of a database whose server has `track_commit_timestamp`. */
export async function openLog(databaseUrl: string) {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  return {
    /** The newest event. */
    async end(): Promise<number> {
      await client.query("select service.number_events()");
      const { rows } = await client.query<{ last: string | null }>(
        "select max(sequence) as last from service.events",
      );
      return Number(rows[0]?.last ?? 0);
    },
    async after(position: number): Promise<Committed[]> {
      await client.query("select service.number_events()");
      const { rows } = await client.query<Committed>(
        // An event may be numbered by a later transaction than its own, which is that of its line in the history.
        `select event.sequence::float8, event.kind, event.tenant, '0x' || coalesce(encode(event.asset_id, 'hex'), '') as asset,
           extract(epoch from pg_xact_commit_timestamp(coalesce(entry.xmin, event.xmin)))::float8 * 1000 as at
         from service.events event
         left join service.history entry on entry.request_id = event.request_id and entry.at = event.at
         where event.sequence > $1 order by event.sequence`,
        [position],
      );
      return rows;
    },
    close: () => client.end(),
  };
}

/** Whether an event is one that a reader is told of. */
export function isFor({ tenant, kinds, assetId }: Reader, event: Committed): boolean {
  if (event.tenant !== null && event.tenant !== tenant) return false;
  if (assetId !== undefined && event.asset !== assetId) return false;
  return kinds.some((kind) => event.kind === kind || event.kind.startsWith(`${kind}.`));
}
