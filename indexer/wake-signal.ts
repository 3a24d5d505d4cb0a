import { setTimeout as sleep } from "node:timers/promises";

/** Cuts a wait short when there is news. A ring while nobody waits counts for the next wait. */
export function createBell() {
  let rung = false;
  let wake = () => {};

  return {
    ring(): void {
      rung = true;
      wake();
    },
    wait: async (ms: number, signal: AbortSignal): Promise<void> => {
      const woken = new AbortController();
      wake = () => woken.abort();
      if (!rung) {
        const stop = () => woken.abort();
        signal.addEventListener("abort", stop, { once: true });
        if (!signal.aborted) await sleep(ms, undefined, { signal: woken.signal }).catch(() => undefined);
        signal.removeEventListener("abort", stop);
      }
      rung = false;
    },
  };
}

export type Bell = ReturnType<typeof createBell>;
