import type { MigrationBuilder } from "node-pg-migrate";
import { searchKeys } from "../search-keys.ts";

type Row = { id: Buffer | string; name: string; method: string; hash: string };

const atOnce = 2_000;

/**
 * Fills the normal forms of rows from before, which SQL cannot compute, and then indexes them. What is filled
 * is kept when it is interrupted: the next run goes on with the rest.
 */
export async function up(pgm: MigrationBuilder): Promise<void> {
  await fill(pgm, "chain.assets", "bytea", "name, method, hash", "true");
  await fill(
    pgm,
    "service.requests",
    "uuid",
    `details->>'name' as name, coalesce(details->>'method', '') as method, coalesce(details->>'hash', '') as hash`,
    "kind = 'create'",
  );
  pgm.sql(`
    alter table chain.assets alter column name_key set not null;
    create index on chain.assets (name_key);
    create index on chain.assets using gin (string_to_array(name_key, ' '));
    analyze chain.assets;
  `);
}

export const down = false;

async function fill(
  pgm: MigrationBuilder,
  table: string,
  idType: "bytea" | "uuid",
  texts: string,
  condition: string,
): Promise<void> {
  for (let last: Row["id"] | null = null; ; ) {
    const rows: Row[] = await pgm.db.select(
      `select id, ${texts} from ${table}
       where ${condition} and name_key is null and ($1::${idType} is null or id > $1) order by id limit ${atOnce}`,
      [last],
    );
    if (rows.length === 0) return;
    const keys = rows.map((row) => searchKeys(row));
    await pgm.db.query(
      `update ${table} set name_key = given.name_key, file_digest = given.file_digest
       from unnest($1::${idType}[], $2::text[], $3::bytea[]) as given (id, name_key, file_digest)
       where ${table}.id = given.id`,
      [rows.map(({ id }) => id), keys.map((key) => key.nameKey), keys.map((key) => key.fileDigest ?? null)],
    );
    last = rows.at(-1)?.id ?? null;
  }
}
