import { setTimeout as sleep } from "node:timers/promises";
import type { Hex } from "viem";
import { cpuSecondsOf } from "../cpu.ts";
import { document, seededRandom } from "../documents.ts";
import type { WholeService } from "../whole-service.ts";
import { type Asked, askInLoop, type Speed } from "./closed-loop.ts";
import { startReaders } from "./laps.ts";
import type { Reader } from "./plan.ts";

/** Callers that ask at once. */
export const CALLERS = 8;

/** One turn: answers of POST /assets/ and of GET /assets/{id}/status a second while so many streams are open. */
export type SpeedTurn = { streams: number; post: Answered; read: Answered; idleCpu: number };

/** With milliseconds of processor time of the API and of PostgreSQL for each answer. */
type Answered = Speed & { cpu: number };

/**
 * Measures how fast the API answers while streams of other tenants are open, to which nothing is told, by turns.
 * @param ids assets whose states are read
 */
export async function measureSpeeds(
  service: WholeService,
  key: string,
  ids: readonly Hex[],
  counts: readonly (readonly Reader[])[],
  { seconds, rounds }: { seconds: number; rounds: number },
  onProgress: (done: string) => void,
): Promise<SpeedTurn[]> {
  const random = seededRandom(2);
  const headers = { "x-api-key": key, "content-type": "application/json" };
  const { apiUrl } = service;
  const author = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
  const post = () => {
    const body = JSON.stringify({ ...document(random), author });
    return { method: "POST", url: `${apiUrl}/assets/`, headers, body };
  };
  let nth = 0;
  const read = () => {
    nth += 1;
    return { method: "GET", url: `${apiUrl}/assets/${ids[nth % ids.length]}/status`, headers };
  };
  const { API, PostgreSQL } = service.pids;
  const cpuSeconds = () => cpuSecondsOf(API) + cpuSecondsOf(PostgreSQL);
  const ask = async (next: () => Asked): Promise<Answered> => {
    const before = cpuSeconds();
    const speed = await askInLoop(seconds, CALLERS, next);
    return { ...speed, cpu: (1000 * (cpuSeconds() - before)) / speed.answers };
  };
  const turns: SpeedTurn[] = [];
  for (let round = 0; round < rounds; round += 1) {
    onProgress(`speeds: round ${round + 1} of ${rounds}`);
    for (const readers of round % 2 === 0 ? counts : counts.toReversed()) {
      const reading = await startReaders(service, [...readers]);
      await untilAtRest(API);
      const before = cpuSecondsOf(API);
      await sleep(seconds * 1000);
      const idleCpu = (cpuSecondsOf(API) - before) / seconds;
      const turn = { post: await ask(post), read: await ask(read) };
      reading.stop();
      turns.push({ streams: readers.length, idleCpu, ...turn });
    }
  }
  return turns;
}

/** Waits until a process has done what it still had to do: streams that have just begun read what they may have missed. */
async function untilAtRest(pid: number): Promise<void> {
  for (let before = cpuSecondsOf(pid), tries = 0; tries < 60; tries += 1) {
    await sleep(500);
    const now = cpuSecondsOf(pid);
    if (now - before < 0.03) return;
    before = now;
  }
}
