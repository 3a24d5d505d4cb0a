import pg from "pg";

/** What a test database was when it was made: its catalogue and the rows that the migrations left. */
export type Origin = { catalogue: string; reset: string };

/** From this size on a database is copied anew instead: deleted rows leave their space behind. */
const MAX_BYTES = 8 * 1024 * 1024;

const ownTables = `
  from pg_class join pg_namespace on pg_namespace.oid = relnamespace
  where relkind in ('r', 'p') and nspname !~ '^(pg_|information_schema$)'`;

/** What is new, changed or gone in these shows in their newest row's transaction or in their count. */
const catalogues = [
  ...["class", "attribute", "index", "constraint", "trigger", "proc", "namespace", "type", "statistic"],
  ...["default_acl", "event_trigger", "extension", "largeobject_metadata", "publication", "rewrite"],
];

const catalogueQuery = `select concat_ws(' ',
  (select sum(reltuples) + sum(relpages) from pg_class),
  (select string_agg(setconfig::text, '') from pg_db_role_setting
    where setdatabase = (select oid from pg_database where datname = current_database())),
  (select datacl::text from pg_database where datname = current_database()),
  ${catalogues.map((name) => `(select count(*) || ':' || max(xmin::text::bigint) from pg_${name})`)}) as text`;

export async function readOrigin(client: pg.Client): Promise<Origin> {
  const { rows: tables } = await client.query<{ name: string }>(
    `select format('%I.%I', nspname, relname) as name ${ownTables}`,
  );
  const resets: string[] = [];
  for (const { name } of tables) {
    resets.push(`delete from ${name}`);
    const { rows } = await client.query<{ rows: string | null }>(
      `select json_agg(one)::text as rows from ${name} as one`,
    );
    const kept = rows[0]?.rows;
    if (typeof kept !== "string") continue;
    const given = `json_populate_recordset(null::${name}, ${pg.escapeLiteral(kept)})`;
    resets.push(`insert into ${name} overriding system value select * from ${given}`);
  }
  resets.push("perform setval(seqrelid, seqstart, false) from pg_sequence");
  return {
    catalogue: await readCatalogue(client),
    // Without triggers and foreign keys: some tables may only be added to.
    reset: `begin; set local session_replication_role = replica; do $reset$ begin ${resets.join("; ")}; end $reset$; commit`,
  };
}

/** Empties a database whose tables are still as they were made. @returns false where it cannot be used again */
export async function resetDatabase(client: pg.Client, { catalogue, reset }: Origin): Promise<boolean> {
  const { rows } = await client.query<{ ended: boolean }>(
    `select pg_terminate_backend(pid, 5000) as ended from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid()`,
  );
  if (rows.some(({ ended }) => !ended)) return false;
  const { rows: sizes } = await client.query<{ bytes: string }>(
    `select sum(pg_relation_size(pg_class.oid)) as bytes ${ownTables}`,
  );
  if (Number(sizes[0]?.bytes) > MAX_BYTES || (await readCatalogue(client)) !== catalogue) return false;
  await client.query(reset);
  return true;
}

async function readCatalogue(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ text: string }>(catalogueQuery);
  return rows[0]?.text ?? "";
}
