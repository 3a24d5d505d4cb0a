import { writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { migrate } from "../db/migrate.ts";
import { startPostgres } from "./local/postgres.ts";

const usage = `Usage: npm run schema

Writes db/schema.sql: the schema that all migrations together make, to be read instead of them. Run it
after adding a migration; a test compares the two.`;

export const schemaFile = new URL("../db/schema.sql", import.meta.url);

const schemas = ["chain", "service"];

const header = `-- The schema that the migrations make, to be read and not to be run.
-- Generated from db/migrations/ by \`npm run schema\`; do not edit.
`;

/** The text that db/schema.sql must have for a database whose migrations are up to date. */
export async function describeSchema(databaseUrl: string): Promise<string> {
  const client = new pg.Client({ connectionString: databaseUrl, application_name: "asset-registry schema" });
  client.on("error", () => undefined);
  await client.connect();
  try {
    // Without a search path every name is told with its schema.
    await client.query("set search_path to ''");
    const parts = [header];
    for (const schema of schemas) {
      parts.push(`create schema ${schema};\n`, ...(await tables(client, schema)));
      parts.push(...(await functions(client, schema)), ...(await triggers(client, schema)));
    }
    return parts.join("\n");
  } finally {
    await client.end();
  }
}

async function tables(client: pg.Client, schema: string): Promise<string[]> {
  const { rows } = await client.query<{ oid: number; name: string; unlogged: boolean }>(
    `select oid::int, relname as name, relpersistence = 'u' as unlogged from pg_class
     where relnamespace = $1::regnamespace and relkind in ('r', 'p') order by relname collate "C"`,
    [schema],
  );
  const texts: string[] = [];
  for (const { oid, name, unlogged } of rows) {
    const lines = [...(await columns(client, oid)), ...(await constraints(client, oid))];
    const body = lines.map((line) => `  ${line}`).join(",\n");
    const indexes = (await indexesBesides(client, oid)).map((index) => `${index};\n`);
    const kind = unlogged ? "unlogged table" : "table";
    texts.push(`create ${kind} ${schema}.${name} (\n${body}\n);\n${indexes.join("")}`);
  }
  return texts;
}

async function functions(client: pg.Client, schema: string): Promise<string[]> {
  const { rows } = await client.query<{ text: string }>(
    `select pg_get_functiondef(oid) as text from pg_proc
     where pronamespace = $1::regnamespace order by proname collate "C", oid`,
    [schema],
  );
  return rows.map(({ text }) => `${text.trimEnd()};\n`);
}

async function triggers(client: pg.Client, schema: string): Promise<string[]> {
  const { rows } = await client.query<{ text: string }>(
    `select pg_get_triggerdef(pg_trigger.oid) as text
     from pg_trigger join pg_class on pg_class.oid = tgrelid
     where relnamespace = $1::regnamespace and not tgisinternal
     order by relname collate "C", tgname collate "C"`,
    [schema],
  );
  return rows.map(({ text }) => `${text};\n`);
}

async function columns(client: pg.Client, table: number): Promise<string[]> {
  const { rows } = await client.query<{ line: string }>(
    `select quote_ident(attname) || ' ' || format_type(atttypid, atttypmod)
       || case when attnotnull then ' not null' else '' end
       || coalesce(' default ' || pg_get_expr(adbin, adrelid), '') as line
     from pg_attribute left join pg_attrdef on adrelid = attrelid and adnum = attnum
     where attrelid = $1 and attnum > 0 and not attisdropped order by attnum`,
    [table],
  );
  return rows.map(({ line }) => line);
}

/** Primary key first, then unique, check and foreign keys; that a column is not null stands beside it. */
async function constraints(client: pg.Client, table: number): Promise<string[]> {
  const { rows } = await client.query<{ line: string }>(
    `select 'constraint ' || quote_ident(conname) || ' ' || pg_get_constraintdef(oid, true) as line
     from pg_constraint where conrelid = $1 and contype <> 'n'
     order by position(contype::text in 'pucf'), conname collate "C"`,
    [table],
  );
  return rows.map(({ line }) => line);
}

/** Those that do not stand for a constraint already told. */
async function indexesBesides(client: pg.Client, table: number): Promise<string[]> {
  const { rows } = await client.query<{ line: string }>(
    `select pg_get_indexdef(indexrelid) as line
     from pg_index join pg_class on pg_class.oid = indexrelid
     where indrelid = $1 and not exists (select from pg_constraint where conindid = indexrelid and conrelid = $1)
     order by relname collate "C"`,
    [table],
  );
  return rows.map(({ line }) => line);
}

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
