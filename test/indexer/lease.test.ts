import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { readCursor } from "../../db/cursor.ts";
import {
  LeaseLostError,
  proveLease,
  readLease,
  releaseLease,
  renewLease,
  takeLease,
} from "../../db/lease.ts";
import { inTransaction, openPool, type Pool } from "../../db/pool.ts";
import { createRandom, randomSeed } from "../simulation/random.ts";
import { torture } from "../simulation/torture.ts";
import { startWorld, type World } from "../simulation/world.ts";
import { intruders, reigns, watchWriters } from "../simulation/writers.ts";
import { eventually } from "../support/eventually.ts";
import { type IndexerProcess, startIndexerProcess } from "../support/indexer-process.ts";
import { pgbouncerMissing, startPgbouncer } from "../support/pgbouncer.ts";
import { createDatabase, type TestDatabase } from "../support/postgres.ts";

const [a, b] = ["00000000-0000-4000-8000-00000000000a", "00000000-0000-4000-8000-00000000000b"] as const;

describe("the lease of the indexer that writes", () => {
  let database: TestDatabase;
  let pool: Pool;
  before(async () => {
    database = await createDatabase();
    pool = openPool(database.url, { application: "test" });
  });
  after(async () => {
    await pool.end();
    await database.drop();
  });
  afterEach(() => pool.query("update service.indexer_lease set holder = null"));

  it("is held by one, until it is released", async () => {
    expect(await takeLease(pool, a, 10)).to.equal(true);
    expect(await takeLease(pool, b, 10)).to.equal(false);
    await releaseLease(pool, b);
    expect((await readLease(pool)).holder).to.equal(a);
    await releaseLease(pool, a);
    expect(await takeLease(pool, b, 10)).to.equal(true);
  });

  it("passes on when it has run out, and a late sign of life says so", async () => {
    await takeLease(pool, a, 0);
    expect((await readLease(pool)).holder).to.equal(undefined);
    expect(await renewLease(pool, a, 0, undefined), "nobody took it").to.equal(true);
    expect(await takeLease(pool, b, 10)).to.equal(true);
    expect(await renewLease(pool, a, 10, undefined)).to.equal(false);
  });

  it("goes to one of many that want it at the same time", async () => {
    const names = Array.from({ length: 10 }, (_, index) => `00000000-0000-4000-8000-00000000001${index}`);
    const taken = await Promise.all(names.map((name) => takeLease(pool, name, 10)));
    expect(taken.filter((won) => won)).to.have.length(1);
  });

  it("is not taken in the middle of a transaction of its holder, who goes on giving signs of life", async () => {
    await takeLease(pool, a, 0);
    await inTransaction(pool, async (tx) => {
      await proveLease(tx, a);
      expect(await takeLease(pool, b, 10)).to.equal(false);
      expect(await renewLease(pool, a, 0, 1)).to.equal(true);
    });
    expect(await takeLease(pool, b, 10)).to.equal(true);
  });

  it("is proved by each transaction of a guarded pool, or nothing is stored", async () => {
    const guarded = openPool(database.url, { application: "test", guard: (tx) => proveLease(tx, a) });
    try {
      await takeLease(pool, b, 10);
      let worked = false;
      const work = async () => {
        worked = true;
      };
      const outcome = await inTransaction(guarded, work).catch((error) => error);
      expect(outcome).to.be.instanceOf(LeaseLostError);
      expect(worked).to.equal(false);
    } finally {
      await guarded.end();
    }
  });
});

describe("two indexers on one database", () => {
  let world: World;
  let database: TestDatabase;
  let pool: Pool;
  let indexers: IndexerProcess[] = [];

  beforeEach(async () => {
    world = await startWorld(createRandom(1));
    database = await createDatabase();
    pool = openPool(database.url, { application: "test" });
    await watchWriters(pool);
  });
  afterEach(async () => {
    await Promise.all(indexers.map((indexer) => indexer.kill()));
    indexers = [];
    await pool.end();
    await database.drop();
    await world.stop();
  });

  function start(leaseSeconds: number): IndexerProcess {
    const indexer = startIndexerProcess({
      DATABASE_URL: database.url,
      RPC_URL: world.anvil.url,
      REGISTRY_ADDRESS: world.registry.address,
      START_BLOCK: String(world.deployment.blockNumber),
      LEASE_SECONDS: String(leaseSeconds),
    });
    indexers.push(indexer);
    return indexer;
  }

  const indexed = () =>
    eventually(
      "the head indexed",
      async () => (await readCursor(pool))?.blockNumber,
      (block) => block === world.head,
    );

  const writes = (indexer: IndexerProcess) =>
    eventually(
      "the lease",
      async () => (await readLease(pool)).holder === (await indexer.holder),
      (holds) => holds,
    );

  it("hand over at once when the one that writes is asked to end", async () => {
    const first = start(20);
    await writes(first);
    const second = start(20);
    await second.holder;
    await world.block(4);
    await indexed();
    const since = performance.now();
    expect((await first.stop()).code).to.equal(0);
    await writes(second);
    expect(performance.now() - since).to.be.below(5_000);
    await world.block(4);
    await indexed();
    expect(intruders(await reigns(pool))).to.deep.equal([]);
    expect((await second.stop()).code).to.equal(0);
  });

  it("never write both: one that slept through its lease stands by when it wakes up", async () => {
    const sleeper = start(1);
    await writes(sleeper);
    const second = start(1);
    await second.holder;
    await world.block(4);
    await indexed();
    sleeper.child.kill("SIGSTOP");
    await writes(second);
    await world.block(4);
    await indexed();
    sleeper.child.kill("SIGCONT");
    for (let blocks = 0; blocks < 20; blocks += 1) {
      await world.block(2);
      await sleep(50);
    }
    await indexed();
    expect(intruders(await reigns(pool))).to.deep.equal([]);
    expect((await readLease(pool)).holder).to.equal(await second.holder);
    await second.kill();
    await writes(sleeper);
    await world.block(2);
    await indexed();
  });

  it("never write both: one that lost its lease writes nothing, even before it knows", async () => {
    const first = start(20);
    await writes(first);
    await world.block(4);
    await indexed();
    const before = await readCursor(pool);
    await pool.query(
      "update service.indexer_lease set holder = $1, expires_at = clock_timestamp() + interval '1 hour'",
      [b],
    );
    // Its next sign of life is seconds away; until then it believes that it writes.
    await world.mine(3);
    await sleep(1_000);
    expect(await readCursor(pool)).to.deep.equal(before);
    await pool.query("update service.indexer_lease set holder = null");
    await writes(first);
    await indexed();
  });

  it("G7, G10: behind PgBouncer, take over from each other after kill -9, and the index equals the chain", async function () {
    if (pgbouncerMissing !== undefined) {
      console.log(`      Not run: ${pgbouncerMissing}`);
      this.skip();
    }
    await tortured({ kills: 4, events: 60, through: startPgbouncer });
  });

  it("G10: take over from each other after kill -9 at random points, and the index equals the chain", () =>
    tortured({ kills: 6, events: 90 }));

  async function tortured(options: Omit<Parameters<typeof torture>[0], "seed">) {
    const seed = randomSeed();
    console.log(`      seed ${seed}`);
    const { problems, longestTakeoverMs } = await torture({ seed, ...options });
    expect(problems, `seed ${seed}`).to.deep.equal([]);
    expect(longestTakeoverMs).to.be.below(30_000);
  }
});
