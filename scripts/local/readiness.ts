import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";

import { type Config, publicUrl } from "../../config.ts";

const LOOK_EVERY_MS = 100;
const PATIENCE_MS = 10_000;
const SAY_EVERY_MS = 5_000;

/** The address at which this machine reaches a server that listens on all of its addresses. */
export function reachable(url: string): string {
  return url.replace("://0.0.0.0", "://127.0.0.1").replace("://[::]", "://[::1]");
}

/** Waits until the API says that the index has caught up with the chain, however long that takes. */
export async function untilReady(
  config: Config,
  say: (text: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const own = reachable(publicUrl({ ...config, PUBLIC_URL: undefined }));
  let sayAt = performance.now() + PATIENCE_MS;
  while (!(await answersOk(`${own}/ready`, signal))) {
    signal.throwIfAborted();
    if (performance.now() > sayAt) {
      sayAt = performance.now() + SAY_EVERY_MS;
      say(await howFar(own, signal));
    }
    await sleep(LOOK_EVERY_MS, undefined, { signal });
  }
}

const status = z.object({
  value: z.object({
    indexedBlock: z.number().nullable(),
    headBlock: z.number().nullable(),
    blocksPerSecond: z.number().nullable(),
    remainingSeconds: z.number().nullable(),
  }),
});

async function howFar(own: string, signal: AbortSignal): Promise<string> {
  const { data } = status.safeParse(await readJson(`${own}/status`, signal));
  if (data === undefined) return "Still waiting for the API.";
  const { indexedBlock, headBlock, blocksPerSecond, remainingSeconds } = data.value;
  if (indexedBlock === null || headBlock === null) return `The index has not begun yet: see ${own}/ready`;
  const count = (value: number) => value.toLocaleString("en");
  return [
    `The index is catching up with the chain: block ${count(indexedBlock)} of ${count(headBlock)}`,
    ...(blocksPerSecond === null ? [] : [`${count(Math.round(blocksPerSecond))} blocks/s`]),
    ...(remainingSeconds === null ? [] : [`about ${count(remainingSeconds)} s left`]),
  ].join(", ");
}

async function readJson(url: string, signal: AbortSignal): Promise<unknown> {
  try {
    return await (await fetch(url, { signal: AbortSignal.any([signal, AbortSignal.timeout(5_000)]) })).json();
  } catch {
    return undefined; // it does not listen yet
  }
}

async function answersOk(url: string, signal: AbortSignal): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.any([signal, AbortSignal.timeout(5_000)]) });
    await response.body?.cancel();
    return response.status === 200;
  } catch {
    return false; // it does not listen yet
  }
}
