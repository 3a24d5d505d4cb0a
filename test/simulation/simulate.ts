import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import { pino } from "pino";
import { openPool } from "../../db/core/pool.ts";
import { readIndexPosition } from "../../db/reads/index-position.ts";
import { runIndexer } from "../../indexer/run.ts";
import { createDatabase } from "../support/database/postgres.ts";
import { unreliablePostgres } from "../support/database/unreliable-postgres.ts";
import { eventually } from "../support/eventually.ts";
import { brokenRules } from "./consistency.ts";
import { apiOf, createCustomers, differingAnswers, readSome } from "./customers.ts";
import { differences, indexRows } from "./index-rows.ts";
import { expectedRows } from "./oracle.ts";
import { createRandom } from "./random.ts";
import { unreliableNode } from "./unreliable-node.ts";
import { startWorld } from "./world.ts";

export type SimulateOptions = { seed: number; blocks: number; say?: (line: string) => void };

export type SimulateResult = {
  blocks: number;
  events: number;
  /** Requests through the API that ended on the chain. */
  requests: number;
  reorgs: number;
  deepest: number;
  kills: number;
  nodeFaults: number;
  databaseFaults: number;
  /** Everything that is wrong; empty where all is well. */
  problems: string[];
};

const confirmations = 5;
const shares = { node: 0.05, database: 0.001, kill: 0.01, short: 0.05, toFinality: 0.01, deeper: 0.001 };
/** Blocks between two looks at everything. */
const checkEvery = 250;
const catchUpSeconds = 120;

/**
 * A chain on which everything happens at random, an indexer that reads it through an unreliable node into an
 * unreliable database and is killed now and then, and an API in front of it. The rules that hold at all times
 * are looked at while it runs; now and then, and at the end, the index must equal the chain.
 *
 * The seed decides what happens on the chain; when it meets the indexer depends on the machine too.
 */
export async function simulate({ seed, blocks, say = () => {} }: SimulateOptions): Promise<SimulateResult> {
  const random = createRandom(seed);
  const [faults, visits] = [createRandom(seed ^ 0x5eed), createRandom(seed ^ 0xab1e)];
  const world = await startWorld(random);
  const node = await unreliableNode(world.anvil.url, faults, shares.node);
  const database = await createDatabase();
  const pool = openPool(database.url, { application: "simulation" });
  const api = await apiOf(database, world);
  const customers = await createCustomers(api, visits);
  const log = pino({ level: process.env["TEST_LOG_LEVEL"] ?? "silent" });
  const counts = { reorgs: 0, deepest: 0, kills: 0, databaseFaults: 0 };
  const problems: string[] = [];
  const dead: Promise<void>[] = [];
  let databaseShare = shares.database;

  const settings = (databaseUrl: string, rpcUrl: string) => ({
    DATABASE_URL: databaseUrl,
    RPC_URL: [rpcUrl],
    REGISTRY_ADDRESS: world.registry.address,
    START_BLOCK: world.deployment.blockNumber,
    CONFIRMATIONS: confirmations,
    POLL_INTERVAL: 20,
    LEASE_SECONDS: 1,
  });

  function deliver() {
    if (!faults.chance(databaseShare)) return "arrives";
    counts.databaseFaults += 1;
    return faults.chance(0.5) ? "lost" : "answer lost";
  }

  let indexer = await start();
  async function start() {
    const way = await unreliablePostgres(database.url, deliver);
    const running = begin(settings(way.url, node.url), log, (problem) => problems.push(problem));
    return {
      /** As if its machine had died: nothing of it reaches the database any more. */
      async kill() {
        await way.cut();
        dead.push(running.stop());
      },
      async stop() {
        await running.stop();
        await way.cut();
      },
    };
  }

  try {
    for (let block = 1; block <= blocks && problems.length === 0; block += 1) {
      await world.block(3);
      await reorgNowAndThen();
      if (visits.chance(0.1)) await customers.act();
      if (random.chance(shares.kill)) {
        counts.kills += 1;
        await indexer.kill();
        indexer = await start();
      }
      if (block % 20 === 0)
        problems.push(...(await brokenRules(pool)), ...(await readSome(api, world, visits)));
      if (block % checkEvery === 0 || block === blocks) await check(block);
      await sleep(visits.whole(0, 20));
    }
    await untilConfirmed();
    await check(blocks);
    await indexer.stop();
    if (problems.length === 0) await compareWithRebuilt();
    return {
      blocks,
      events: world.events.length,
      requests: customers.asked.length,
      ...counts,
      nodeFaults: node.state.faults,
      problems,
    };
  } finally {
    await indexer.stop();
    await Promise.all(dead);
    await api.stop();
    await pool.end();
    await node.stop();
    await database.drop();
    await world.stop();
  }

  async function reorgNowAndThen(): Promise<void> {
    const dice = random.next();
    const { short, toFinality, deeper } = shares;
    let depth = 0;
    if (dice < deeper) depth = random.whole(confirmations + 1, 60);
    else if (dice < deeper + toFinality) depth = random.whole(4, confirmations);
    else if (dice < deeper + toFinality + short) depth = random.whole(1, 3);
    if (depth === 0) return;
    await world.reorg(depth);
    counts.reorgs += 1;
    counts.deepest = Math.max(counts.deepest, depth);
  }

  /** With a node and a database that work for a moment the index reaches the head, and equals the chain. */
  async function check(block: number): Promise<void> {
    node.state.share = databaseShare = 0;
    try {
      await caughtUp();
      problems.push(
        ...differences(expectedRows(await world.readAll()), await indexRows(pool, world.registry)),
      );
      problems.push(...(await brokenRules(pool)));
    } catch (error) {
      problems.push(`at block ${block}: ${(error as Error).message}`);
    }
    node.state.share = shares.node;
    databaseShare = shares.database;
    say(
      `block ${block} of ${blocks}: ${world.events.length} events, ${counts.reorgs} reorgs, ${counts.kills} kills`,
    );
  }

  async function caughtUp(): Promise<void> {
    const head = await world.anvil.rpc<{ hash: string }>("eth_getBlockByNumber", ["latest", false]);
    await eventually(
      `block ${world.head} indexed`,
      async () => {
        const cursor = await readIndexPosition(pool);
        return { block: cursor?.blockNumber, hash: cursor?.blockHash, halted: cursor?.haltedReason };
      },
      ({ hash, halted }) => hash === head.hash || halted !== undefined,
      catchUpSeconds,
    );
    const halted = (await readIndexPosition(pool))?.haltedReason;
    if (halted !== undefined) throw new Error(`the indexer has stopped: ${halted}`);
  }

  /** What the author has signed ends up on the chain, whatever reorgs threw it away. */
  async function untilConfirmed(): Promise<void> {
    for (const asset of customers.asked) {
      if (problems.length > 0) return;
      await eventually(
        `asset ${asset} confirmed`,
        async () => {
          await world.mine(1);
          return customers.stateOf(asset);
        },
        (state) => state === "Confirmed",
        60,
      ).catch((error: Error) => problems.push(error.message));
    }
  }

  async function compareWithRebuilt(): Promise<void> {
    const fresh = await createDatabase();
    const freshPool = openPool(fresh.url, { application: "simulation" });
    const rebuilding = begin(settings(fresh.url, world.anvil.url), log, (problem) => problems.push(problem));
    const freshApi = await apiOf(fresh, world);
    try {
      await eventually(
        "the index built anew",
        async () => (await readIndexPosition(freshPool))?.blockNumber,
        (block) => block === world.head,
        catchUpSeconds,
      );
      const [old, anew] = [await indexRows(pool, world.registry), await indexRows(freshPool, world.registry)];
      problems.push(...differences(anew, old), ...(await differingAnswers(api, freshApi, world)));
    } finally {
      await rebuilding.stop();
      await freshApi.stop();
      await freshPool.end();
      await fresh.drop();
    }
  }
}

/** The product's indexer inside this process. */
function begin(config: Parameters<typeof runIndexer>[0], log: Logger, onProblem: (problem: string) => void) {
  const abort = new AbortController();
  const ended = runIndexer(config, log, abort.signal).catch((error: Error) =>
    onProblem(`an indexer ended: ${error.stack}`),
  );
  return {
    async stop() {
      abort.abort();
      await ended;
    },
  };
}
