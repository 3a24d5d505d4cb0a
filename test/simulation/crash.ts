import { setTimeout as sleep } from "node:timers/promises";
import type { KilledProcess } from "./crash-process.ts";
import { type Customer, startCrashWorld } from "./crash-world.ts";
import { createRandom } from "./random.ts";
import { sideBySide } from "./side-by-side.ts";

export type CrashOptions = { seed: number; kills: number; say?: (line: string) => void };
export type CrashResult = { kills: number; requests: number; reorgs: number; problems: string[] };

const deepestReorg = 3;
/** Of each customer, however few the kills. */
const leastRequests = 5;

/**
 * Customers ask, sign and hand in while API and indexer are ended by kill -9 at random moments, blocks are
 * mined and some are lost again. At the end everything that was handed in must be on the chain, once.
 */
export async function crash({ seed, kills, say = () => {} }: CrashOptions): Promise<CrashResult> {
  // What happens side by side has chance of its own: the pace of one moves nothing of another.
  const chanceOf = (place: number) => createRandom(seed + place);
  const world = await startCrashWorld();
  const customers: Customer[] = [0, 1, 2].map(world.customer);
  let over = false;
  const lives = sideBySide();
  let reorgs = 0;
  let killed = 0;

  async function live(customer: Customer, place: number): Promise<void> {
    const random = chanceOf(place);
    while (lives.failed === undefined && (!over || customer.submitted.length < leastRequests)) {
      await world.handIn(customer, await world.prepare(customer));
      await sleep(random.whole(0, 200));
    }
  }

  async function goOn(): Promise<void> {
    const random = chanceOf(10);
    while (lives.failed === undefined && !over) {
      await world.rig.mine();
      await sleep(random.whole(50, 250));
      if (!random.chance(0.06)) continue;
      await world.rig.anvil.rpc("anvil_reorg", [random.whole(1, deepestReorg), []]);
      reorgs += 1;
    }
  }

  /** Most times it has done some of its work before it is ended, however long a busy machine takes for that. */
  async function endAgain(process: KilledProcess, times: number, place: number): Promise<void> {
    const random = chanceOf(place);
    for (let time = 0; time < times && lives.failed === undefined; time += 1) {
      if (random.chance(0.8)) await process.works();
      await sleep(random.whole(0, 600));
      await process.kill();
      process.start();
      killed += 1;
      if (killed % 20 === 0) say(`${killed} of ${kills} kills, ${reorgs} reorgs`);
    }
  }

  try {
    // No reorg may take the registry itself away: nobody would deploy it again.
    await world.rig.anvil.mine(deepestReorg);
    world.api.start();
    world.indexer.start();
    const living = lives.run([goOn(), ...customers.map(live)]);
    const half = Math.floor(kills / 2);
    await lives.run([endAgain(world.api, half, 20), endAgain(world.indexer, kills - half, 21)]);
    over = true;
    await living;
    if (lives.failed !== undefined) throw lives.failed;
    await world.untilConfirmed(customers);
    const requests = customers.reduce((sum, { submitted }) => sum + submitted.length, 0);
    const problems = await world.problems(customers);
    if (problems.length > 0) problems.push(await world.evidence());
    return { kills: killed, requests, reorgs, problems };
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : error}\n${await world.evidence()}`, {
      cause: error,
    });
  } finally {
    await world.stop();
  }
}
