import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { openPool, type Pool } from "../../../db/core/pool.ts";
import { readIndexPosition } from "../../../db/reads/index-position.ts";
import { readLease } from "../../../db/service/lease.ts";
import { createRandom } from "../../simulation/random.ts";
import { torture } from "../../simulation/torture.ts";
import { startWorld, type World } from "../../simulation/world.ts";
import { intruders, reigns, watchWriters } from "../../simulation/writers.ts";
import { pgbouncerMissing, startPgbouncer } from "../../support/database/pgbouncer.ts";
import { createDatabase, type TestDatabase } from "../../support/database/postgres.ts";
import { eventually } from "../../support/eventually.ts";
import { type IndexerProcess, startIndexerProcess } from "../../support/indexer-process.ts";

/** No indexer that runs. */
const stranger = "00000000-0000-4000-8000-00000000000b";

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
      async () => (await readIndexPosition(pool))?.blockNumber,
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
    const before = await readIndexPosition(pool);
    await pool.query(
      "update service.indexer_lease set holder = $1, expires_at = clock_timestamp() + interval '1 hour'",
      [stranger],
    );
    // Its next sign of life is seconds away; until then it believes that it writes.
    await world.mine(3);
    await sleep(1_000);
    expect(await readIndexPosition(pool)).to.deep.equal(before);
    await pool.query("update service.indexer_lease set holder = null");
    await writes(first);
    await indexed();
  });

  it("behind PgBouncer, take over from each other after kill -9, and the index equals the chain", async function () {
    if (pgbouncerMissing !== undefined) {
      console.log(`      Not run: ${pgbouncerMissing}`);
      this.skip();
    }
    await tortured({ kills: 4, events: 60, through: startPgbouncer });
  });

  it("take over from each other after kill -9 at many points, and the index equals the chain", () =>
    tortured({ kills: 6, events: 90 }));

  async function tortured(options: Omit<Parameters<typeof torture>[0], "seed">) {
    const { problems, longestTakeoverMs } = await torture({ seed: 1, ...options });
    expect(problems).to.deep.equal([]);
    expect(longestTakeoverMs).to.be.below(30_000);
  }
});
