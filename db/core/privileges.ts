import { DatabaseNotReadyError } from "./connection-problem.ts";
import type { Database } from "./pool.ts";

/** The part that connects: the API does not write to `chain`. */
export type Part = "api" | "indexer";

/**
 * Checks the privileges that a part needs.
 * @throws DatabaseNotReadyError naming the first missing one, which may be granted after a migration
 */
export async function checkRights(db: Database, part: Part): Promise<void> {
  const { rows } = await db.query<{ missing: string; role: string }>(
    `with wanted (schema, privilege) as (
       values ('chain', 'select'), ('service', 'select'), ('chain', case when $1 then 'insert' end),
         ('chain', case when $1 then 'update' end), ('chain', case when $1 then 'delete' end),
         ('jobs', case when not $1 then 'insert' end)
     )
     select current_user::text as role, case
       when not has_schema_privilege(pg_namespace.oid, 'usage') then format('usage on schema %I', nspname)
       else format('%s on table %I.%I', wanted.privilege, nspname, relname) end as missing
     from wanted join pg_namespace on nspname = schema
       join pg_class on relnamespace = pg_namespace.oid and relkind = 'r'
     where wanted.privilege is not null and (not has_schema_privilege(pg_namespace.oid, 'usage')
       or not has_table_privilege(pg_class.oid, wanted.privilege))
     union all
     select current_user::text, 'insert on table service.requests'
     where has_schema_privilege('service', 'usage') and not has_table_privilege('service.requests', 'insert')
     limit 1`,
    [part === "indexer"],
  );
  const [found] = rows;
  if (found === undefined) return;
  throw new DatabaseNotReadyError(
    `The role ${found.role} has no right to ${found.missing}: run docs/postgres/grants.sql as the schema's owner, ` +
      "or name another role in DATABASE_URL.",
  );
}
