import { randomBytes } from "node:crypto";
import { expect } from "chai";
import pg from "pg";
import {
  connectionProblem,
  DatabaseNotReadyError,
  DatabaseRefusedError,
} from "../../../db/core/connection-problem.ts";
import { migrate } from "../../../db/core/migrate.ts";
import { openPool, type Pool } from "../../../db/core/pool.ts";
import { checkRights } from "../../../db/core/privileges.ts";
import { checkServer } from "../../../db/core/server.ts";
import { waitForDatabase } from "../../../db/core/start.ts";
import { freePort } from "../../../scripts/local/ports.ts";
import { pgbouncerMissing, startPgbouncer } from "../../support/database/pgbouncer.ts";
import { createDatabase, createEmptyDatabase, type TestDatabase } from "../../support/database/postgres.ts";

describe("a database that cannot be used", () => {
  const databases: TestDatabase[] = [];
  let admin: pg.Client;
  let home: TestDatabase;

  before(async () => {
    home = await createEmptyDatabase();
    admin = new pg.Client({ connectionString: home.url });
    await admin.connect();
  });
  after(async () => {
    await admin.end();
    await home.drop();
  });
  afterEach(async () => {
    for (const database of databases.splice(0)) await database.drop();
  });

  const at = (name: string, change: (url: URL) => void = () => undefined) => {
    const url = new URL(home.url);
    url.pathname = `/${name}`;
    change(url);
    return url.href;
  };

  async function create(options: string): Promise<string> {
    const name = `test_${randomBytes(8).toString("hex")}`;
    await admin.query(`create database ${name} template template0 ${options}`);
    const drop = async () => void (await admin.query(`drop database ${name} with (force)`));
    databases.push({ url: at(name), drop });
    return at(name);
  }

  async function refusal(
    work: Promise<unknown>,
    kind: new () => Error = DatabaseRefusedError,
  ): Promise<string> {
    const error = await work.then(
      () => undefined,
      (reason) => reason,
    );
    expect(error, String(error?.stack)).to.be.instanceOf(kind);
    expect(error.message).to.match(/^[^\n]*\.$/);
    return error.message;
  }
  const notReady = (work: Promise<unknown>) => refusal(work, DatabaseNotReadyError);

  async function withPool<Result>(url: string, work: (pool: Pool) => Promise<Result>): Promise<Result> {
    const pool = openPool(url, { application: "test", max: 1 });
    try {
      return await work(pool);
    } finally {
      await pool.end();
    }
  }

  for (const encoding of ["LATIN1", "SQL_ASCII", "EUC_JP"]) {
    it(`for its encoding ${encoding} is neither migrated nor taken, and keeps no table`, async () => {
      const url = await create(`encoding '${encoding}' locale_provider libc lc_collate 'C' lc_ctype 'C'`);
      expect(await refusal(migrate(url))).to.match(new RegExp(`encoded in ${encoding}.*template0`));
      expect(await refusal(withPool(url, checkServer))).to.contain(encoding);
      const { rows } = await withPool(url, (pool) =>
        pool.query("select to_regnamespace('service') as service, to_regclass('public.migrations') as list"),
      );
      expect(rows).to.deep.equal([{ service: null, list: null }]);
    });
  }

  for (const locale of [
    "locale_provider libc lc_collate 'C' lc_ctype 'C'",
    "locale_provider icu icu_locale 'tr-TR'",
  ]) {
    it(`is not one with ${locale}`, async () => {
      const url = await create(`encoding 'UTF8' ${locale}`);
      expect(await migrate(url)).not.to.deep.equal([]);
      const facts = await withPool(url, checkServer);
      expect(facts).to.include({ database: new URL(url).pathname.slice(1), tls: false });
      expect(facts.postgres).to.match(/^\d+\.\d+$/);
    });
  }

  it("for its version, or as a standby, says so", async () => {
    const asked: Record<string, unknown> = {
      number: 150_000,
      version: "15.0",
      encoding: "UTF8",
      recovery: false,
      database: "d",
      role: "r",
      tls: false,
      replication: "origin",
    };
    // Servers that are not at hand here, by what they would answer.
    const answering = (other: object) =>
      ({ query: async () => ({ rows: [{ ...asked, ...other }] }) }) as unknown as Pool;
    expect(await checkServer(answering({}))).to.include({ postgres: "15.0" });
    expect(await refusal(checkServer(answering({ number: 140_011, version: "14.11" })))).to.contain("14.11");
    expect(await notReady(checkServer(answering({ recovery: true })))).to.contain("primary");
    expect(await refusal(checkServer(answering({ replication: "replica" })))).to.contain(
      `alter role "r" in database "d" reset session_replication_role`,
    );
  });

  it("is not one of an unreleased version", async () => {
    const url = await create("encoding 'UTF8'");
    await migrate(url);
    await withPool(url, (pool) =>
      pool.query("update public.migrations set name = '0001_registry' where name like '0001%'"),
    );
    const found = withPool(url, (pool) =>
      waitForDatabase(pool, {
        databaseUrl: url,
        part: "api",
        signal: new AbortController().signal,
        onWaiting: () => undefined,
      }),
    );
    expect(await refusal(found)).to.contain("made by an unreleased version");
  });

  it("is waited for while it is in recovery", async () => {
    const url = await create("encoding 'UTF8'");
    await migrate(url);
    const told: string[] = [];
    const found = await withPool(url, (pool) => {
      // The next primary of a failover, in recovery for two looks.
      let looks = 0;
      const query = async (text: string, values?: unknown[]) => {
        const answer = await pool.query(text, values);
        const [row] = answer.rows;
        if (row !== undefined && "recovery" in row) row.recovery = looks++ < 2;
        return answer;
      };
      const failingOver = { query } as unknown as Pool;
      return waitForDatabase(failingOver, {
        databaseUrl: url,
        part: "indexer",
        signal: new AbortController().signal,
        onWaiting: (problem) => told.push(problem),
      });
    });
    expect(found).to.include({ database: new URL(url).pathname.slice(1) });
    expect(told).to.have.length(1);
    expect(told[0]).to.contain("in recovery");
  });

  it("is one that takes no writes for now, and says so", async () => {
    const url = await create("encoding 'UTF8'");
    const name = new URL(url).pathname.slice(1);
    await admin.query(`alter database ${name} set default_transaction_read_only = on`);
    const problem = await notReady(withPool(url, checkServer));
    expect(problem).to.contain(name);
    const stop = new AbortController();
    const told: string[] = [];
    await withPool(url, (pool) =>
      waitForDatabase(pool, {
        databaseUrl: url,
        part: "api",
        signal: stop.signal,
        onWaiting(problem) {
          told.push(problem);
          stop.abort();
        },
      }),
    );
    expect(told).to.deep.equal([problem]);
  });

  describe("for the role that asks", () => {
    let role: string;
    let url: string;
    beforeEach(async () => {
      role = `role_${randomBytes(6).toString("hex")}`;
      await admin.query(`create role ${role} login password 'right'`);
      const database = await createDatabase();
      databases.push(database);
      url = database.url.replace(/\/\/[^@]*@/, `//${role}:right@`);
    });
    afterEach(async () => {
      for (const database of databases.splice(0)) await database.drop();
      await admin.query(`drop role ${role}`);
    });

    it("names the right that is missing, one after the other", async () => {
      const owner = new pg.Client({ connectionString: databases[0]?.url });
      await owner.connect();
      const missing = (part: "api" | "indexer") => notReady(withPool(url, (pool) => checkRights(pool, part)));
      try {
        expect(await missing("api")).to.match(/usage on schema (chain|service|jobs)/);
        await owner.query(`grant usage on schema chain, service, jobs to ${role}`);
        expect(await missing("api")).to.match(/(select|insert) on table (chain|service|jobs)\./);
        await owner.query(`grant select on all tables in schema chain, service to ${role}`);
        await owner.query(`grant insert on all tables in schema jobs to ${role}`);
        expect(await missing("api")).to.contain("insert on table service.requests");
        await owner.query(`grant insert on service.requests to ${role}`);
        await withPool(url, (pool) => checkRights(pool, "api"));
        expect(await missing("indexer")).to.match(/(insert|update|delete) on table chain\./);
      } finally {
        await owner.query(`drop owned by ${role}`);
        await owner.end();
      }
    });

    it("is waited for until its rights are granted, each that is missing said once", async () => {
      const owner = new pg.Client({ connectionString: databases[0]?.url });
      await owner.connect();
      const grants = [
        `grant select on public.migrations to ${role}`,
        `grant usage on schema chain, service, jobs to ${role}`,
        `grant select on all tables in schema chain, service to ${role};
         grant insert on all tables in schema jobs to ${role}`,
        `grant insert on service.requests to ${role}`,
      ];
      const told: string[] = [];
      try {
        const found = await withPool(url, (pool) =>
          waitForDatabase(pool, {
            databaseUrl: url,
            part: "api",
            signal: new AbortController().signal,
            onWaiting(problem) {
              told.push(problem);
              const grant = grants.shift();
              if (grant !== undefined) owner.query(grant);
            },
          }),
        );
        expect(found).to.include({ role });
        expect(told).to.have.length(4);
        expect(told[0]).to.match(/permission denied for table migrations.*grants\.sql/);
        expect(told[1]).to.match(/usage on schema (chain|service|jobs)/);
        expect(told[2]).to.match(/(select|insert) on table (chain|service|jobs)\..*grants\.sql/);
        expect(told[3]).to.contain("insert on table service.requests");
      } finally {
        await owner.query(`drop owned by ${role}`);
        await owner.end();
      }
    });

    it("is told by migrate when it may not make a schema", async () => {
      const empty = await createEmptyDatabase();
      databases.push(empty);
      const theirs = empty.url.replace(/\/\/[^@]*@/, `//${role}:right@`);
      expect(await refusal(migrate(theirs))).to.match(new RegExp(`role ${role} may not change the schema`));
    });
  });

  describe("connectionProblem", () => {
    async function problem(url: string) {
      const client = new pg.Client({ connectionString: url });
      client.on("error", () => undefined);
      const error = await client.connect().then(
        () => undefined,
        (reason) => reason,
      );
      await client.end().catch(() => undefined);
      expect(error).to.be.an("error");
      const found = connectionProblem(error, url);
      expect(found.problem).to.match(/^[^\n]*\.$/);
      expect(found.problem).not.to.contain(new URL(home.url).password).and.not.to.contain("wr0ng");
      return found;
    }

    it("tells a wrong password from a server that is not there", async () => {
      const wrong = at("postgres", (url) => {
        url.password = "wr0ng";
      });
      expect(await problem(wrong)).to.include({ mayPass: false });
      expect((await problem(wrong)).problem).to.contain("does not accept the password of the role postgres");
      const gone = `postgres://u:p@127.0.0.1:${await freePort()}/d`;
      expect(await problem(gone)).to.include({ mayPass: true });
      expect(await problem("postgres://u:p@no-such-host.invalid/d")).to.include({ mayPass: true });
    });

    it("names a database, a role, a password and a certificate that are missing", async () => {
      const { host } = new URL(home.url);
      expect((await problem(at("nowhere"))).problem).to.equal(
        `There is no database nowhere at ${host}: create it, or name another in DATABASE_URL.`,
      );
      for (const [change, said] of [
        [(url: URL) => Object.assign(url, { username: "nobody" }), /role nobody/],
        [(url: URL) => Object.assign(url, { password: "" }), /holds none/],
        [(url: URL) => url.searchParams.set("sslmode", "require"), /TLS.*sslmode=disable/],
        [(url: URL) => url.searchParams.set("options", "-c no_such_setting=1"), /no_such_setting/],
      ] as const) {
        const found = await problem(at("postgres", change));
        expect(found).to.include({ mayPass: false });
        expect(found.problem).to.match(said);
      }
      const untrusted = Object.assign(new Error("self-signed certificate"), {
        code: "DEPTH_ZERO_SELF_SIGNED_CERT",
      });
      expect(connectionProblem(untrusted, home.url).problem).to.contain("sslrootcert");
    });

    it("waits for a server that starts, is full or is cut off", () => {
      for (const code of ["57P03", "53300", "08006", "EAI_AGAIN", "ECONNRESET", "57P01"]) {
        const error = Object.assign(new Error("not now"), { code });
        expect(connectionProblem(error, home.url), code).to.include({ mayPass: true });
      }
    });

    it("understands PgBouncer", async function () {
      if (pgbouncerMissing !== undefined) {
        console.log(`      Not run: ${pgbouncerMissing}`);
        this.skip();
      }
      const pooler = await startPgbouncer(home.url);
      const with_ = (change: (url: URL) => void) => {
        const url = new URL(pooler.url);
        change(url);
        return url.href;
      };
      try {
        for (const url of [
          with_((url) => Object.assign(url, { password: "wr0ng" })),
          with_((url) => Object.assign(url, { username: "nobody" })),
          with_((url) => Object.assign(url, { pathname: "/nowhere" })),
        ]) {
          expect(await problem(url), url).to.include({ mayPass: false });
        }
      } finally {
        await pooler.stop();
      }
    });
  });
});
