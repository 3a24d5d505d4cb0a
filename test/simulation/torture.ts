import { setTimeout as sleep } from "node:timers/promises";
import { openPool, type Pool } from "../../db/core/pool.ts";
import { readIndexPosition } from "../../db/reads/index-position.ts";
import { readLease } from "../../db/service/lease.ts";
import { createDatabase } from "../support/database/postgres.ts";
import { toldOtherwise } from "../support/database/told-index.ts";
import { eventually } from "../support/eventually.ts";
import { type IndexerProcess, startIndexerProcess } from "../support/indexer-process.ts";
import { differences, indexRows } from "./index-rows.ts";
import { expectedRows } from "./oracle.ts";
import { createRandom } from "./random.ts";
import { startWorld } from "./world.ts";
import { intruders, reigns, watchWriters } from "./writers.ts";

export type TortureOptions = {
  seed: number;
  kills: number;
  events: number;
  say?: (line: string) => void;
  /** A pooler or proxy in front of the database, for the indexers alone. */
  through?: (databaseUrl: string) => Promise<{ url: string; stop: () => Promise<void> }>;
};

export type TortureResult = {
  events: number;
  kills: number;
  /** Reigns of writers, one after the other. */
  takeovers: number;
  longestTakeoverMs: number;
  /** Everything that is wrong; empty where all is well. */
  problems: string[];
};

/**
 * Two indexers on one database, of which the one that writes is killed again and again by `kill -9`, at
 * random points, while the chain goes on. At the end the index must equal what the chain says.
 */
export async function torture(options: TortureOptions): Promise<TortureResult> {
  const { seed, kills, events, say = () => {} } = options;
  const random = createRandom(seed);
  const world = await startWorld(random);
  const database = await createDatabase();
  const proxy = await options.through?.(database.url);
  const pool = openPool(database.url, { application: "torture" });
  const running: IndexerProcess[] = [];
  const takeovers: number[] = [];
  const problems: string[] = [];
  const environment = {
    DATABASE_URL: proxy?.url ?? database.url,
    RPC_URL: world.anvil.url,
    REGISTRY_ADDRESS: world.registry.address,
    START_BLOCK: String(world.deployment.blockNumber),
  };
  const launch = () => running.push(startIndexerProcess(environment));

  try {
    await watchWriters(pool);
    launch();
    launch();
    for (let kill = 1; kill <= kills; kill += 1) {
      const lookedFor = performance.now();
      const leader = await writer(pool, running);
      takeovers.push(performance.now() - lookedFor);
      // The chain goes on while it writes, up to its share of the events.
      const share = (events * kill) / (kills + 1);
      const killed = killSomewhere(leader);
      while (world.events.length < share) await world.block(4);
      await killed;
      running.splice(running.indexOf(leader), 1);
      launch();
      if (kill % 10 === 0)
        say(`${kill} of ${kills} kills, ${world.events.length} events, block ${world.head}`);
    }
    while (world.events.length < events) await world.block(4);
    await world.mine(6);
    await eventually(
      "the last block indexed",
      async () => (await readIndexPosition(pool))?.blockNumber,
      (block) => block === world.head,
      60,
    );
    for (const indexer of running.splice(0)) {
      // One that is just starting has nothing yet that listens to the signal.
      await indexer.holder;
      const { code, said } = await indexer.stop();
      if (code !== 0) problems.push(`an indexer that was asked to end ended with ${code}: ${said}`);
    }
    problems.push(...differences(expectedRows(await world.readAll()), await indexRows(pool, world.registry)));
    problems.push(...(await toldOtherwise(pool)));
    const all = await reigns(pool);
    problems.push(...intruders(all).map((name) => `${name} wrote after another had taken over`));
    return {
      events: world.events.length,
      kills,
      takeovers: all.length,
      longestTakeoverMs: Math.round(Math.max(...takeovers)),
      problems,
    };
  } finally {
    await Promise.all(running.map((indexer) => indexer.kill()));
    await pool.end();
    await proxy?.stop();
    await database.drop();
    await world.stop();
  }

  /** Before, in or after a step: most often while it writes, now and then while it starts. */
  async function killSomewhere(leader: IndexerProcess): Promise<void> {
    if (random.chance(0.75)) await cursorMoves(pool, random.whole(1, 3));
    await sleep(random.next() * (random.chance(0.2) ? 300 : 30));
    await leader.kill();
  }
}

/** Waits for a living process to hold the lease. */
async function writer(pool: Pool, running: readonly IndexerProcess[]): Promise<IndexerProcess> {
  const names = new Map<string, IndexerProcess>();
  for (const indexer of running) void indexer.holder.then((name) => names.set(name, indexer));
  const name = await eventually(
    "an indexer that writes",
    async () => (await readLease(pool)).holder,
    (holder) => holder !== undefined && names.has(holder),
    30,
  );
  return names.get(name ?? "") as IndexerProcess;
}

/** Waits for so many changes of the cursor, but not for ever: the chain may stand still. */
async function cursorMoves(pool: Pool, times: number): Promise<void> {
  const place = async () => (await readIndexPosition(pool))?.blockNumber ?? -1;
  const deadline = performance.now() + 1_500;
  let before = await place();
  for (let moves = 0; moves < times && performance.now() < deadline; await sleep(3)) {
    const now = await place();
    if (now !== before) moves += 1;
    before = now;
  }
}
