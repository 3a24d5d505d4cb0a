import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { cpuSecondsOf } from "../cpu.ts";
import type { WholeService } from "../whole-service.ts";
import { startReaders } from "./laps.ts";
import type { Heard, Reader } from "./plan.ts";

/** Events a second, each of a transaction of its own. */
export const EVENT_RATE = 20;

/** One turn: milliseconds of the API's processor time for an event that so many streams are told of. */
export type ToldTurn = { streams: number; cpu: number; heard: Heard | undefined };

const insert = `
  insert into service.events (kind, asset_id, author, details)
  values ('asset.registered', $1, $2, '{"name":"Lease 1","fileName":"lease.pdf","hash":"${"ab".repeat(32)}","method":"SHA2-256"}')`;

/**
 * Measures what the API does for an event, by the number of streams that are told of it, while it does nothing else:
 * events are written into the log by SQL. What it does for an event that no stream waits for counts, too.
 */
export async function measureTold(
  service: WholeService,
  counts: readonly (readonly Reader[])[],
  { seconds, rounds }: { seconds: number; rounds: number },
  onProgress: (done: string) => void,
): Promise<ToldTurn[]> {
  const client = new pg.Client({ connectionString: service.databaseUrl });
  await client.connect();
  const turns: ToldTurn[] = [];
  try {
    for (let round = 1; round <= rounds; round += 1) {
      onProgress(`telling: round ${round} of ${rounds}`);
      for (const readers of round % 2 === 0 ? counts : counts.toReversed()) {
        const reading = await startReaders(service, [...readers]);
        const events = Math.round(seconds * EVENT_RATE);
        const before = cpuSecondsOf(service.pids.API);
        for (let nth = 0; nth < events; nth += 1) {
          await client.query(insert, [randomBytes(32), randomBytes(20)]);
          await sleep(1000 / EVENT_RATE);
        }
        const cpu = (1000 * (cpuSecondsOf(service.pids.API) - before)) / events;
        const heard = await reading.finish();
        reading.stop();
        turns.push({ streams: readers.length, cpu, heard: heard.get("stream") });
      }
    }
    return turns;
  } finally {
    await client.end();
  }
}
