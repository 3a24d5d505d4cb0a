import { setTimeout as sleep } from "node:timers/promises";

import { type Config, publicUrl } from "../../config.ts";

const LOOK_EVERY_MS = 100;
const PATIENCE_MS = 20_000;

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
  const since = performance.now();
  let told = false;
  while (!(await answersOk(`${own}/ready`, signal))) {
    signal.throwIfAborted();
    if (!told && performance.now() - since > PATIENCE_MS) {
      told = true;
      const alive = await answersOk(`${own}/health`, signal);
      say(
        alive ? `The index is catching up with the chain: see ${own}/status` : "Still waiting for the API.",
      );
    }
    await sleep(LOOK_EVERY_MS, undefined, { signal });
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
