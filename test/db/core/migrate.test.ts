import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import pg from "pg";
import { DatabaseRefusedError } from "../../../db/core/connection-problem.ts";
import { migrate, NewerSchemaError } from "../../../db/core/migrate.ts";
import { knownMigrations as migrations, migrationsFolder } from "../../../db/core/schema-version.ts";
import { describeSchema } from "../../../scripts/schema.ts";
import { createEmptyDatabase, type TestDatabase } from "../../support/database/postgres.ts";
import { eventually } from "../../support/eventually.ts";

describe("migrate", () => {
  let database: TestDatabase;
  let client: pg.Client;

  beforeEach(async () => {
    database = await createEmptyDatabase();
    client = new pg.Client({ connectionString: database.url });
    client.on("error", () => undefined);
    await client.connect();
  });
  afterEach(async () => {
    await client.end();
    await database.drop();
  });

  async function list(sql: string): Promise<unknown[]> {
    const { rows } = await client.query<{ one: unknown }>(sql);
    return rows.map(({ one }) => one);
  }
  const applied = () => list("select name as one from public.migrations order by name");
  const ownSchemas = () =>
    list("select nspname as one from pg_namespace where nspname in ('chain', 'service') order by nspname");
  const connectionsClosed = () =>
    eventually(
      "the end of its connection",
      () =>
        list(
          `select pid as one from pg_stat_activity
           where datname = current_database() and application_name = 'asset-registry migrate'`,
        ),
      (pids) => pids.length === 0,
    );

  async function refusal(folder?: string): Promise<Error> {
    try {
      await migrate(database.url, folder);
    } catch (error) {
      if (error instanceof Error) return error;
    }
    throw new Error("it was not refused");
  }

  describe("given an empty database", () => {
    it("runs every migration in order and closes its connection", async () => {
      expect(await migrate(database.url)).to.deep.equal(migrations);
      expect(await applied()).to.deep.equal(migrations);
      expect(await ownSchemas()).to.deep.equal(["chain", "service"]);
      await connectionsClosed();
    });

    it("runs each once when five start together", async () => {
      const ran = await Promise.all(Array.from({ length: 5 }, () => migrate(database.url)));
      expect(ran.flat().sort()).to.deep.equal(migrations);
      expect(await applied()).to.deep.equal(migrations);
    });
  });

  describe("given a database that is up to date", () => {
    beforeEach(() => migrate(database.url));

    it("does nothing, five times at once too", async () => {
      const [schema, rows] = [
        await describeSchema(database.url),
        await list("select run_on as one from migrations"),
      ];
      const ran = await Promise.all(Array.from({ length: 5 }, () => migrate(database.url)));
      expect(ran.flat()).to.deep.equal([]);
      expect(await describeSchema(database.url)).to.equal(schema);
      expect(await list("select run_on as one from migrations")).to.deep.equal(rows);
    });
  });

  describe("given a database that newer code has migrated", () => {
    const newer = () =>
      client.query("insert into public.migrations (name, run_on) values ('9999_newer', now())");

    it("refuses it, names what it does not know and says what to do", async () => {
      await migrate(database.url);
      await newer();
      const error = await refusal();
      expect(error).to.be.instanceOf(NewerSchemaError);
      expect(error.message).to.equal(
        "The database holds migrations that this version does not know (9999_newer): " +
          "run the newer version, or restore a backup from before the upgrade.",
      );
      expect(await applied()).to.deep.equal([...migrations, "9999_newer"]);
      await connectionsClosed();
    });

    it("refuses it to five that start together", async () => {
      await migrate(database.url);
      await newer();
      for (const error of await Promise.all(Array.from({ length: 5 }, () => refusal()))) {
        expect(error).to.be.instanceOf(NewerSchemaError);
      }
    });

    it("refuses it, too, when the newer code was at work while this one waited for its turn", async () => {
      await migrate(database.url);
      await client.query("begin");
      // Whoever migrates holds this lock until its transaction ends.
      await client.query("select pg_advisory_xact_lock(hashtext('asset-registry migrate'))");
      const error = refusal();
      await waitingForTurn();
      await newer();
      await client.query("commit");
      expect(await error).to.be.instanceOf(NewerSchemaError);
    });

    const waitingForTurn = () =>
      eventually(
        "the wait for a turn",
        () => list("select pid as one from pg_locks where locktype = 'advisory' and not granted"),
        (pids) => pids.length > 0,
      );
  });

  describe("given a database that an older version has migrated", () => {
    let folder: string;
    beforeEach(async () => {
      await migrate(database.url);
      folder = mkdtempSync(join(tmpdir(), "migrations-"));
      cpSync(migrationsFolder, folder, { recursive: true });
      add("9001_colours", "create table service.colours (name text primary key)");
      add("9002_shades", "create table service.shades (name text references service.colours)");
    });
    afterEach(() => rmSync(folder, { recursive: true }));

    const add = (name: string, sql: string) => writeFileSync(join(folder, `${name}.sql`), sql);

    it("runs what is missing, in order and once, when five start together", async () => {
      const ran = await Promise.all(Array.from({ length: 5 }, () => migrate(database.url, folder)));
      expect(ran.flat()).to.deep.equal(["9001_colours", "9002_shades"]);
      expect(await applied()).to.deep.equal([...migrations, "9001_colours", "9002_shades"]);
    });

    it("leaves nothing of any of them where the last one fails", async () => {
      add("9003_shades", "create table service.shades ()");
      const before = await describeSchema(database.url);
      expect((await refusal(folder)).message).to.include('relation "shades" already exists');
      expect(await applied()).to.deep.equal(migrations);
      expect(await describeSchema(database.url)).to.equal(before);
    });
  });

  describe("given a database of an unreleased version", () => {
    const unreleased = async (...names: string[]) => {
      await client.query(`
        create schema chain;
        create table public.migrations (id serial primary key, name varchar(255) not null, run_on timestamp not null)`);
      for (const name of names) {
        await client.query("insert into public.migrations (name, run_on) values ($1, now())", [name]);
      }
    };

    for (const names of [["0001_registry"], ["0001_registry", "0002_lease", "0111_request_blocks"]]) {
      it(`refuses it after ${names.at(-1)}, says what to do and changes nothing`, async () => {
        await unreleased(...names);
        const error = await refusal();
        expect(error).to.be.instanceOf(DatabaseRefusedError);
        expect(error.message).to.equal(
          "The database was made by an unreleased version and cannot be upgraded: use an empty one, which " +
            "`npm run migrate` sets up and the indexer fills from the chain.",
        );
        expect(await ownSchemas()).to.deep.equal(["chain"]);
        expect(await applied()).to.deep.equal(names);
        await connectionsClosed();
      });
    }
  });

  describe("given a migration that fails", () => {
    it("leaves nothing of it, and works once what was in the way is gone", async () => {
      await client.query("create schema service");
      const error = await refusal();
      expect(error.message).to.include('schema "service" already exists');
      expect(await ownSchemas()).to.deep.equal(["service"]);
      expect(await list("select to_regclass('public.migrations') as one")).to.deep.equal([null]);
      await connectionsClosed();
      await client.query("drop schema service");
      expect(await migrate(database.url)).to.deep.equal(migrations);
    });
  });

  describe("given a database that it cannot reach", () => {
    it("fails with the reason", async () => {
      const error = await migrate("postgres://u:p@127.0.0.1:1/d").catch((reason: unknown) => reason);
      expect(error).to.have.property("code", "ECONNREFUSED");
    });
  });
});
