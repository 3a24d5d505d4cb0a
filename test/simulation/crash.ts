import { setTimeout as sleep } from "node:timers/promises";
import { type Customer, startCrashWorld } from "./crash-world.ts";
import { createRandom } from "./random.ts";

export type CrashOptions = { seed: number; kills: number; say?: (line: string) => void };
export type CrashResult = { kills: number; requests: number; reorgs: number; problems: string[] };

const deepestReorg = 3;

/**
 * Customers ask, sign and hand in while API and indexer are ended by kill -9 at random moments, blocks are
 * mined and some are lost again. At the end everything that was handed in must be on the chain, once.
 */
export async function crash({ seed, kills, say = () => {} }: CrashOptions): Promise<CrashResult> {
  const random = createRandom(seed);
  const world = await startCrashWorld();
  const customers: Customer[] = [0, 1, 2].map(world.customer);
  const work = new AbortController();
  let reorgs = 0;
  let failed: unknown;

  async function live(customer: Customer): Promise<void> {
    while (!work.signal.aborted) {
      await world.handIn(customer, await world.prepare(customer));
      await sleep(random.whole(0, 200));
    }
  }

  async function goOn(): Promise<void> {
    while (!work.signal.aborted) {
      await world.rig.mine();
      await sleep(random.whole(50, 250));
      if (!random.chance(0.06)) continue;
      await world.rig.anvil.rpc("anvil_reorg", [random.whole(1, deepestReorg), []]);
      reorgs += 1;
    }
  }

  try {
    // No reorg may take the registry itself away: nobody would deploy it again.
    await world.rig.anvil.mine(deepestReorg);
    world.startApi();
    world.startIndexer();
    const lives = Promise.all([goOn(), ...customers.map(live)]).catch((error: unknown) => {
      failed = error;
      work.abort();
    });
    await world.persist("GET", "/health");
    for (let kill = 1; kill <= kills && failed === undefined; kill += 1) {
      await sleep(random.whole(300, 1_300));
      const [end, begin] = random.chance(0.5)
        ? [world.killApi, world.startApi]
        : [world.killIndexer, world.startIndexer];
      await end();
      begin();
      if (kill % 20 === 0) say(`${kill} of ${kills} kills, ${reorgs} reorgs`);
    }
    work.abort();
    await lives;
    if (failed !== undefined) throw failed;
    await world.untilConfirmed(customers);
    const requests = customers.reduce((sum, { submitted }) => sum + submitted.length, 0);
    return { kills, requests, reorgs, problems: await world.problems(customers) };
  } finally {
    work.abort();
    await world.stop();
  }
}
