import { writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { migrate } from "../db/core/migrate.ts";
import { connectSingle } from "../db/core/single-connection.ts";
import { startPostgres } from "./local/postgres/server.ts";

const usage = `Usage: npm run schema

Writes db/schema.sql: the schema that all migrations together make, without comments. Run it after adding a
migration; a test compares the two.`;

export const schemaFile = new URL("../db/schema.sql", import.meta.url);

const schemas = ["chain", "service"];

const header = `-- The schema that the migrations make, to be read and not to be run.
-- Generated from db/migrations/ by \`npm run schema\`; do not edit.
`;

/** The text of db/schema.sql for a database whose migrations are up to date. */
export async function describeSchema(databaseUrl: string): Promise<string> {
  const client = await connectSingle(databaseUrl, "schema");
  try {
    // Without a search path the catalogue writes every name with its schema.
    await client.query("set search_path to ''");
    const parts = [header];
    for (const schema of schemas) {
      parts.push(`create schema ${schema};\n`);
      for (const query of [tables, functions, triggers]) {
        const { rows } = await client.query<{ text: string }>(query, [schema]);
        parts.push(...rows.map(({ text }) => `${text.trimEnd()};\n`));
      }
    }
    return parts.join("\n");
  } finally {
    await client.end();
  }
}

/**
 * A table with its columns, then its constraints (primary key, unique, check and foreign keys) and the indexes that
 * belong to none of them.
 */
const tables = String.raw`
  select format(E'create %s %s (\n  %s\n)', case relpersistence when 'u' then 'unlogged table' else 'table' end,
    pg_class.oid::regclass, array_to_string(columns.lines || constraints.lines, E',\n  ')) || indexes.lines as text
  from pg_class, lateral (
    select array_agg(quote_ident(attname) || ' ' || format_type(atttypid, atttypmod)
      || coalesce(' collate ' || quote_ident(collname), '') || case when attnotnull then ' not null' else '' end
      || coalesce(' default ' || pg_get_expr(adbin, adrelid), '') order by attnum) as lines
    from pg_attribute join pg_type on pg_type.oid = atttypid
    left join pg_collation on pg_collation.oid = attcollation and attcollation <> typcollation
    left join pg_attrdef on adrelid = attrelid and adnum = attnum
    where attrelid = pg_class.oid and attnum > 0 and not attisdropped
  ) columns, lateral (
    select array_agg('constraint ' || quote_ident(conname) || ' ' || pg_get_constraintdef(oid, true)
      order by position(contype::text in 'pucf'), conname collate "C") as lines
    from pg_constraint where conrelid = pg_class.oid and contype <> 'n'
  ) constraints, lateral (
    select coalesce(string_agg(E';\n' || pg_get_indexdef(indexrelid), '' order by index.relname collate "C"), '') as lines
    from pg_index join pg_class index on index.oid = indexrelid
    where indrelid = pg_class.oid
      and not exists (select from pg_constraint where conindid = indexrelid and conrelid = indrelid)
  ) indexes
  where relnamespace = $1::regnamespace and relkind in ('r', 'p') order by relname collate "C"`;

const functions = `
  select pg_get_functiondef(oid) as text from pg_proc
  where pronamespace = $1::regnamespace order by proname collate "C", oid`;

const triggers = `
  select pg_get_triggerdef(pg_trigger.oid) as text from pg_trigger join pg_class on pg_class.oid = tgrelid
  where relnamespace = $1::regnamespace and not tgisinternal order by relname collate "C", tgname collate "C"`;

async function main(): Promise<void> {
  if (process.argv.includes("--help")) return console.log(usage);
  const postgres = await startPostgres({ ephemeral: true });
  try {
    await migrate(postgres.url);
    await writeFile(schemaFile, await describeSchema(postgres.url));
    console.log(`Wrote ${fileURLToPath(schemaFile)}`);
  } finally {
    await postgres.stop();
  }
}

if (process.argv[1] === import.meta.filename) {
  try {
    await main();
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    process.exitCode = 1;
  }
}
