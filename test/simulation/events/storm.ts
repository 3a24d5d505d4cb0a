import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createClient } from "../../../client/src/client.ts";
import type { RegistryEvent } from "../../../client/src/types/event.ts";
import { migrate } from "../../../db/core/migrate.ts";
import { eventBounds } from "../../../db/service/events/read.ts";
import { postmasterPid } from "../../../scripts/local/postgres/cluster.ts";
import { type Postgres, startPostgres } from "../../../scripts/local/postgres/server.ts";
import { keys } from "../../support/api.ts";
import { eventually } from "../../support/eventually.ts";
import { type CrashWorld, type Customer, startCrashWorld } from "../crash-world.ts";
import { createRandom } from "../random.ts";
import { sideBySide } from "../side-by-side.ts";
import { kindsOfTenants, startReader } from "./reader.ts";
import { startReceiver } from "./receiver.ts";
import { wronglyDelivered, wronglyRead } from "./told.ts";

export type StormOptions = {
  seed: number;
  /** Least events of the log in the end. */
  events: number;
  /** Ends of API, indexer or database. */
  kills: number;
  say?: (line: string) => void;
};

export type StormResult = {
  events: number;
  kills: number;
  reorgs: number;
  lives: number;
  problems: string[];
};

const deepestReorg = 3;
const apiKey = keys["tenant-a"];
/** Assets that others register in a block, and of how many deliveries one fails. */
const assetsInBlock = 12;
const failing = 0.04;
/** Seconds until what was told has arrived everywhere, the retries of what failed included. */
const patience = 400;

/**
 * API, indexer and database end again and again while assets are registered and blocks are lost. A reader of the stream
 * dies and goes on, a receiver of webhooks fails. At the end both must have what the log holds.
 */
export async function eventStorm({
  seed,
  events,
  kills,
  say = () => {},
}: StormOptions): Promise<StormResult> {
  const chanceOf = (place: number) => createRandom(seed + place);
  const folder = mkdtempSync(join(tmpdir(), "asset-registry-storm-"));
  chmodSync(folder, 0o755); // PostgreSQL does not run as root
  let postgres: Postgres = await startPostgres({ dataDir: join(folder, "data") });
  await migrate(postgres.url);
  const database = { url: postgres.url, drop: async () => undefined };
  const receiver = await startReceiver(chanceOf(1), failing);
  const settings = { WEBHOOK_ALLOW_NETWORKS: "127.0.0.0/8" };
  const world: CrashWorld = await startCrashWorld({ database, settings });
  const { rig, api, indexer } = world;
  let reorgs = 0;
  let over = false;
  const lives = sideBySide();

  /** The first look after a restart may meet a connection that was ended. */
  const lastEvent = async () => {
    const look = () => eventBounds(rig.pool).catch(() => undefined);
    return (await eventually("the end of the log", look, (bounds) => bounds !== undefined))?.last ?? 0;
  };

  async function goOn(): Promise<void> {
    const random = chanceOf(2);
    while (lives.failed === undefined && !over) {
      await rig.createMany(1, random.whole(0, assetsInBlock));
      await sleep(random.whole(50, 200));
      if (!random.chance(0.08)) continue;
      await rig.anvil.rpc("anvil_reorg", [random.whole(1, deepestReorg), []]);
      reorgs += 1;
    }
  }

  async function ask(customer: Customer): Promise<void> {
    const random = chanceOf(3);
    while (lives.failed === undefined && !over) {
      await world.handIn(customer, await world.prepare(customer));
      await sleep(random.whole(0, 300));
    }
  }

  async function restartDatabase(gently: boolean): Promise<void> {
    const { port } = postgres;
    if (gently) await postgres.stop();
    else {
      process.kill(postmasterPid(postgres.folder), "SIGQUIT");
      await postgres.ended;
    }
    postgres = await startPostgres({ dataDir: join(folder, "data"), port });
  }

  /** Ends one of the three, some time after the last. */
  async function endAgain(): Promise<void> {
    const random = chanceOf(4);
    for (let kill = 1; kill <= kills && lives.failed === undefined; kill += 1) {
      const before = await lastEvent();
      await eventually("an event", lastEvent, (last) => last > before, 120);
      await sleep(random.whole(0, 1_500));
      const what = random.next();
      if (what < 0.2) await restartDatabase(random.chance(0.5));
      else {
        const process = what < 0.6 ? api : indexer;
        await process.kill();
        process.start();
      }
      if (kill % 10 === 0) say(`${kill} of ${kills} ends, ${await lastEvent()} events, ${reorgs} reorgs`);
    }
  }

  try {
    await rig.anvil.mine(deepestReorg);
    api.start();
    indexer.start();
    const { value } = await world.persist("POST", "/webhooks/", { url: receiver.url, kinds: kindsOfTenants });
    receiver.trust(value.secret);
    const reader = startReader(world.url, apiKey, chanceOf(5));
    const customer = world.customer(0);
    const living = lives.run([goOn(), ask(customer)]);
    await lives.run([endAgain()]);
    await eventually("events enough", lastEvent, (last) => lives.failed !== undefined || last >= events, 900);
    over = true;
    await living;
    if (lives.failed !== undefined) throw lives.failed;
    await world.untilConfirmed([customer]);
    await rig.caughtUp();
    const log: RegistryEvent[] = [];
    for await (const event of createClient({ url: world.url, apiKey }).listEvents({ kinds: kindsOfTenants }))
      log.push(event);
    const problems = () => [
      ...wronglyRead(log, reader.seen()),
      ...wronglyDelivered(log, receiver.arrivals()),
      ...receiver.problems(),
    ];
    const quiet = (found: string[]) => found.length === 0;
    const left = await eventually("all told", async () => problems(), quiet, patience).catch(() =>
      problems(),
    );
    await reader.stop();
    const lost = await world.problems([customer]);
    return { events: log.length, kills, reorgs, lives: reader.lives(), problems: [...left, ...lost] };
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : error}\n${await world.evidence()}`, {
      cause: error,
    });
  } finally {
    await world.stop();
    await receiver.stop();
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
