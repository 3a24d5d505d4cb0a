import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import pg from "pg";
import { migrate } from "../../../db/core/migrate.ts";
import { inTransaction, isDatabaseUnavailable, openPool } from "../../../db/core/pool.ts";
import { readIndexPosition } from "../../../db/reads/index-position.ts";
import { postmasterPid } from "../../../scripts/local/postgres/cluster.ts";
import { type Postgres, startPostgres } from "../../../scripts/local/postgres/server.ts";
import { expectError, startApi, type TestApi } from "../../support/api.ts";
import { owner } from "../../support/chain/accounts.ts";
import { createDatabase } from "../../support/database/postgres.ts";
import { eventually } from "../../support/eventually.ts";
import { startIndexerProcess } from "../../support/indexer-process.ts";
import { type LiarRig, startLiarRig } from "../../support/rigs/liar-rig.ts";

/** Runs statements on a connection of its own, as an operator does. */
async function operate<Result>(url: string, work: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client({ connectionString: url, application_name: "operator" });
  client.on("error", () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

const sleeping = "select from pg_stat_activity where query like 'select pg_sleep%' and state = 'active'";

describe("a database that ends and comes back", () => {
  let folder: string;
  let postgres: Postgres;
  let rig: LiarRig;
  let api: TestApi;
  /** A read of the index. */
  let path: string;

  const start = async (port?: number) => {
    postgres = await startPostgres({
      dataDir: join(folder, "data"),
      ...(port === undefined ? {} : { port }),
    });
  };

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "asset-registry-faults-"));
    chmodSync(folder, 0o755); // PostgreSQL does not run as root
    await start();
    await migrate(postgres.url);
    const database = { url: postgres.url, drop: async () => undefined };
    rig = await startLiarRig({ database });
    api = await startApi({ database, rpcUrl: rig.anvil.url, registry: rig.registry, indexed: false });
    await rig.startIndexer();
    const asset = await rig.createOnChain();
    await rig.indexed(asset);
    path = `/assets/${asset}/status`;
  });
  after(async () => {
    await api.stop();
    await rig.stop();
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Assets that a caller was told are asked for. */
  const told: string[] = [];

  /** 50 requests a second, every other one a write, until told to stop. @returns the status of each answer */
  function load(): () => Promise<number[]> {
    const answers: Promise<number>[] = [];
    const write = async () => {
      const { status, value } = await api.post("/assets/", { name: "Lease", author: owner.address });
      if (status === 202) told.push(value.id);
      return status;
    };
    const read = async () => (await api.get(path)).status;
    const timer = setInterval(() => answers.push(answers.length % 2 === 0 ? read() : write()), 20);
    return () => {
      clearInterval(timer);
      return Promise.all(answers);
    };
  }

  const ends: [string, number, () => Promise<void>][] = [
    [
      "ends every connection",
      14,
      () =>
        operate(postgres.adminUrl, async (client) => {
          await client.query(
            "select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid()",
          );
        }),
    ],
    [
      "is restarted",
      3,
      async () => {
        const { port } = postgres;
        await postgres.stop();
        await start(port);
      },
    ],
    [
      "dies as by a power cut",
      3,
      async () => {
        const { port } = postgres;
        process.kill(postmasterPid(postgres.folder), "SIGQUIT");
        await postgres.ended;
        await start(port);
      },
    ],
  ];
  for (const [what, times, end] of ends) {
    it(`${what}, ${times} times under load: nothing ends, nothing is lost, all works within 10 s`, async () => {
      for (let round = 0; round < times; round += 1) {
        const stopLoad = load();
        const creation = rig.createOnChain();
        const open = inTransaction(rig.pool, (tx) => tx.query("select pg_sleep(20)")).catch(
          (error: unknown) => error,
        );
        await eventually(
          "an open transaction",
          () => rig.pool.query(sleeping),
          ({ rowCount }) => rowCount === 1,
        );
        await end();
        expect(await open).to.satisfy(isDatabaseUnavailable);
        const back = performance.now();
        const asset = await creation;
        // The look itself may meet a connection that was ended.
        const indexed = () => rig.isIndexed(asset).catch(() => false);
        await eventually("the asset in the index", indexed, Boolean, 10);
        await eventually(
          "an answer",
          () => api.get(path),
          ({ status }) => status === 200,
          10,
        );
        expect(performance.now() - back, "until all works").to.be.below(10_000);
        expect([200, 202, 503]).to.include.members([...new Set(await stopLoad())]);
      }
      const stored = await rig.pool.query(
        "select '0x' || encode(asset_id, 'hex') as id from service.requests",
      );
      expect(stored.rows.map(({ id }) => id)).to.include.members(told);
      expect(told).to.have.lengthOf(new Set(told).size).and.to.not.be.empty;
      const { rows } = await rig.pool.query(
        "select count(*) as count, count(distinct transaction_hash) as transactions from chain.assets",
      );
      expect(rows[0].count).to.equal(rows[0].transactions).and.to.be.at.least(times);
    });
  }
});

describe("a database that takes no work", () => {
  let rig: LiarRig;

  beforeEach(async () => {
    rig = await startLiarRig();
    await rig.startIndexer();
    await rig.caughtUp();
  });
  afterEach(() => rig.stop());

  it("read-only: the writing waits, reads go on, and it goes on by itself", async () => {
    const name = new URL(rig.database.url).pathname.slice(1);
    const readOnly = (on: boolean) =>
      operate(rig.database.url, async (client) => {
        await client.query(`set default_transaction_read_only = off`);
        await client.query(`alter database ${name} set default_transaction_read_only = ${on ? "on" : "off"}`);
        await client.query(
          "select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and pid <> pg_backend_pid()",
          [name],
        );
      });
    await readOnly(true);
    const asset = await rig.createOnChain();
    // The ended connections are the first trouble, and count as well: the refused write comes after.
    await eventually(
      "the trouble by its name",
      async () => rig.logged.some(({ err }) => /read-only/.test(err?.message ?? "")),
      Boolean,
    );
    expect(rig.counted("trouble_total", "database_unavailable")).to.be.above(0);
    await eventually(
      "reads",
      () => rig.count("assets").catch(() => undefined),
      (count) => count === 0,
    );
    await readOnly(false);
    await eventually("the asset in the index", () => rig.isIndexed(asset).catch(() => false), Boolean);
  });

  it("full: the writing waits and goes on by itself", async () => {
    // A trigger answers as PostgreSQL does when the disk is full.
    await rig.pool.query(`create function full_disk() returns trigger language plpgsql as
      $$ begin raise exception using errcode = '53100', message = 'could not extend file'; end $$`);
    await rig.pool.query(
      "create trigger full_disk before insert on chain.blocks for each statement execute function full_disk()",
    );
    const before = await rig.position();
    const { asset } = await rig.createInBlock();
    await eventually(
      "the trouble",
      async () => rig.counted("trouble_total", "database_unavailable"),
      (count) => count > 1,
    );
    expect(await rig.position()).to.equal(before);
    await rig.pool.query("drop trigger full_disk on chain.blocks");
    await rig.indexed(asset);
  });

  it("against a rule of its own: after some tries the writing stops by name, and goes on when that is fixed", async () => {
    await rig.pool.query("alter table chain.assets add constraint no_more check (false) not valid");
    const { asset } = await rig.createInBlock();
    const reason = await eventually("the halt", rig.halted, (text) => text !== undefined);
    expect(reason).to.match(/no_more/);
    await rig.pool.query("alter table chain.assets drop constraint no_more");
    await rig.indexed(asset);
    expect(await rig.halted()).to.equal(undefined);
  });

  it("locked: each request learns so within 5 s, health and metrics still answer, and all works when it is released", async () => {
    const api = await startApi({
      database: rig.database,
      rpcUrl: rig.anvil.url,
      registry: rig.registry,
      indexed: false,
      prompt: true,
    });
    try {
      const { asset } = await rig.createInBlock();
      await rig.indexed(asset);
      await operate(rig.database.url, async (client) => {
        // Kept until the last request has given up, by its own limits; thirty seconds would add nothing but time.
        await client.query("begin; lock table chain.assets in access exclusive mode");
        const took: number[] = [];
        const requests = Array.from({ length: 500 }, async () => {
          const started = performance.now();
          const answer = await api.get(`/assets/${asset}/status`);
          took.push(performance.now() - started);
          return answer;
        });
        for (const open of ["/health", "/metrics"]) {
          expect((await fetch(`${api.url}${open}`)).status, open).to.equal(200);
        }
        for (const answer of await Promise.all(requests)) expectError(answer, 503, "DATABASE_UNAVAILABLE");
        // Five seconds, and what 500 answers at once take a busy machine; a statement left alone takes thirty.
        expect(Math.max(...took)).to.be.below(20_000);
        await client.query("rollback");
      });
      await eventually(
        "an answer",
        () => api.get(`/assets/${asset}/status`),
        ({ status }) => status === 200,
      );
    } finally {
      await api.stop();
    }
  });
});

describe("a database that ends the connection at the first write of an indexer", () => {
  it("ends no indexer: it begins when that is over", async () => {
    const rig = await startLiarRig();
    await rig.pool.query(`create function cut_off() returns trigger language plpgsql as
      $$ begin perform pg_terminate_backend(pg_backend_pid()); return null; end $$`);
    await rig.pool.query(
      "create trigger cut_off before delete on service.relayer for each statement execute function cut_off()",
    );
    const indexer = startIndexerProcess({
      DATABASE_URL: rig.database.url,
      RPC_URL: rig.liar.url,
      REGISTRY_ADDRESS: rig.registry.address,
      START_BLOCK: String(rig.deployment.blockNumber),
    });
    try {
      await indexer.logged(/reaching node and database/);
      const { asset } = await rig.createInBlock();
      await rig.pool.query("drop trigger cut_off on service.relayer");
      await rig.indexed(asset);
      expect(await indexer.stop()).to.deep.equal({ code: 0, said: "" });
    } finally {
      await indexer.kill();
      await rig.stop();
    }
  });
});

describe("connections that a failure has gone over", () => {
  it("are whole again, or replaced: 1000 failures, then 1000 good ones", async () => {
    const database = await createDatabase();
    const pool = openPool(database.url, { application: "test", max: 5 });
    try {
      await pool.query("create table public.one (id integer primary key)");
      await pool.query("insert into public.one values (1)");
      const failures = Array.from({ length: 1_000 }, async (_, index) => {
        const failed = inTransaction(pool, async (tx) => {
          if (index % 100 === 0) {
            await tx.query("set local idle_in_transaction_session_timeout = 200");
            await sleep(400);
          }
          await tx.query("insert into public.one values (1)");
        });
        return failed.then(
          () => "stored",
          (error) => (isDatabaseUnavailable(error) ? "unavailable" : error.code),
        );
      });
      const outcomes = new Set(await Promise.all(failures));
      expect([...outcomes]).to.have.members(["23505", "unavailable"]);
      const good = Array.from({ length: 1_000 }, (_, index) =>
        inTransaction(pool, (tx) => tx.query("insert into public.one values ($1)", [index + 2])),
      );
      await Promise.all(good);
      expect((await pool.query("select count(*) as count from public.one")).rows[0]).to.deep.equal({
        count: 1_001,
      });
      expect(pool.idleCount).to.equal(pool.totalCount);
      expect(pool.waitingCount).to.equal(0);
    } finally {
      await pool.end();
      await database.drop();
    }
  });
});

describe("numbers beyond 32 bits", () => {
  it("are stored and read as they are", async () => {
    const database = await createDatabase();
    const pool = openPool(database.url, { application: "test" });
    try {
      const { createIndexPosition, moveIndexPosition } = await import("../../../db/chain/index-position.ts");
      const registry = "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC" as const;
      await inTransaction(pool, async (tx) => {
        await createIndexPosition(tx, {
          chainId: 123_220_401_683,
          registry,
          startBlock: 2 ** 31 + 5,
          headNumber: 2 ** 40,
        });
        await moveIndexPosition(tx, {
          blockNumber: 2 ** 31 + 9,
          blockHash: undefined,
          finalNumber: 2 ** 31 + 5,
        });
      });
      expect(await readIndexPosition(pool)).to.include({
        chainId: 123_220_401_683,
        startBlock: 2 ** 31 + 5,
        blockNumber: 2 ** 31 + 9,
        headNumber: 2 ** 40,
      });
    } finally {
      await pool.end();
      await database.drop();
    }
  });
});
