import { expect } from "chai";
import pg from "pg";
import { inTransaction, isDirect, openPool, type Pool } from "../../../db/core/pool.ts";
import { ask, statement } from "../../../db/core/statement.ts";
import { type Pooler, pgbouncerMissing, startPgbouncer } from "../../support/database/pgbouncer.ts";
import { createDatabase, type TestDatabase } from "../../support/database/postgres.ts";

/** What an operator, another product or an old habit may have set for a database or a role. */
const odd = {
  datestyle: "German",
  timezone: "Asia/Kathmandu",
  intervalstyle: "iso_8601",
  bytea_output: "escape",
  extra_float_digits: "-5",
  standard_conforming_strings: "off",
  array_nulls: "off",
  default_transaction_isolation: "serializable",
  default_transaction_deferrable: "on",
  statement_timeout: "1ms",
  lock_timeout: "1ms",
  idle_in_transaction_session_timeout: "1ms",
  idle_session_timeout: "100ms",
  plan_cache_mode: "force_custom_plan",
  jit: "on",
};

/** Statements whose outcome each of these settings changes. */
const read = `select now()::text ~ '^\\d{4}-\\d\\d-\\d\\d ' as iso,
  '1 day 2 hours'::interval::text as span, json_build_array('\\x6162'::bytea)::text as bytes,
  1.1::float8::text as number, '{NULL}'::text[] = array[null::text] as nulls, 'a\\b' as slash`;
const expected = {
  iso: true,
  span: "1 day 02:00:00",
  bytes: '["\\\\x6162"]',
  number: "1.1",
  nulls: true,
  slash: "a\\b",
};

describe("a connection, whatever database and role have set", () => {
  let database: TestDatabase;
  let admin: pg.Client;
  let name: string;

  beforeEach(async () => {
    database = await createDatabase();
    name = new URL(database.url).pathname.slice(1);
    admin = new pg.Client({ connectionString: database.url });
    await admin.connect();
  });
  afterEach(async () => {
    await admin.end();
    await database.drop();
  });

  const set = async (settings: Record<string, string>) => {
    for (const [setting, value] of Object.entries(settings)) {
      await admin.query(`alter database ${name} set ${setting} = '${value}'`);
    }
  };

  const shown = async (pool: Pool, setting: string) =>
    (await pool.query<{ value: string }>("select current_setting($1) as value", [setting])).rows[0]?.value;

  it("reads and writes as the product expects", async () => {
    await set(odd);
    const pool = openPool(database.url, { application: "test", max: 1 });
    try {
      expect((await pool.query(read)).rows).to.deep.equal([expected]);
      expect(await inTransaction(pool, async (tx) => (await tx.query(read)).rows)).to.deep.equal([expected]);
      await pool.query("create table public.things (name text)");
      await pool.query("select pg_sleep(0.2)");
      expect(await shown(pool, "transaction_isolation")).to.equal("read committed");
      // It was idle for longer than the database allows.
      await new Promise((resolve) => setTimeout(resolve, 300));
      const before = pool.totalCount;
      expect((await pool.query("select 1 as one")).rows).to.deep.equal([{ one: 1 }]);
      expect(before).to.equal(1);
      expect(await isDirect(pool)).to.equal(true);
    } finally {
      await pool.end();
    }
  });

  it("is not misled by functions and tables that stand in the way of the system's", async () => {
    await admin.query(`create schema evil;
      create function evil.now() returns timestamptz language sql as $$ select 'epoch'::timestamptz $$;
      create function evil.encode(bytea, text) returns text language sql as $$ select 'stolen' $$;
      create table evil.pg_class (relname name)`);
    await set({ search_path: "evil" });
    await admin.query(`alter database ${name} set search_path = evil, pg_catalog`);
    const pool = openPool(database.url, { application: "test", max: 1 });
    try {
      const { rows } = await pool.query(
        "select now() > '2020-01-01' as now, encode('\\x61', 'hex') as hex, count(*) > 0 as found from pg_class",
      );
      expect(rows).to.deep.equal([{ now: true, hex: "61", found: true }]);
    } finally {
      await pool.end();
    }
  });

  it("keeps the options of DATABASE_URL that are not its own", async () => {
    const options = encodeURIComponent("-c work_mem=12MB -c DateStyle=SQL");
    const pool = openPool(`${database.url}?options=${options}&application_name=mine`, {
      application: "test",
    });
    try {
      expect(await shown(pool, "work_mem")).to.equal("12MB");
      expect(await shown(pool, "DateStyle")).to.equal("ISO, MDY");
      expect(await shown(pool, "application_name")).to.equal("mine");
    } finally {
      await pool.end();
    }
  });

  describe("behind PgBouncer in transaction mode", () => {
    let pooler: Pooler;
    before(function () {
      if (pgbouncerMissing === undefined) return;
      console.log(`      Not run: ${pgbouncerMissing}`);
      this.skip();
    });

    for (const [how, settings] of [
      ["refuses options", []],
      ["leaves options out without a word", ["ignore_startup_parameters = options"]],
    ] as const) {
      it(`reads and writes as the product expects where it ${how}`, async () => {
        // PgBouncer asks something by itself, and would be cut off by limits of milliseconds.
        const { statement_timeout, idle_session_timeout, ...others } = odd;
        await set(others);
        pooler = await startPgbouncer(database.url, { connections: 2, settings });
        const pool = openPool(pooler.url, { application: "test", max: 4 });
        try {
          expect((await pool.query(read)).rows).to.deep.equal([expected]);
          expect(await isDirect(pool)).to.equal(false);
          await pool.query("create table public.things (name text)");
          expect(await shown(pool, "transaction_isolation")).to.equal("read committed");
          const inside = await inTransaction(pool, async (tx) => (await tx.query(read)).rows);
          expect(inside).to.deep.equal([expected]);
          expect(await ask(pool, statement(read), [])).to.deep.equal([expected]);
          // What was set for a transaction stays in it.
          const plain = new pg.Client({ connectionString: pooler.url });
          await plain.connect();
          for (const name of ["jit", "lock_timeout", "default_transaction_isolation"]) {
            const { rows } = await plain.query("select current_setting($1) as value", [name]);
            expect(rows).to.deep.equal([{ value: odd[name as keyof typeof odd] }]);
          }
          await plain.end();
        } finally {
          await pool.end();
          await pooler.stop();
        }
      });
    }
  });
});
