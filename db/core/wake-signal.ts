import { setTimeout as sleep } from "node:timers/promises";

/** Ends a wait early. A wake-up while nobody waits ends the next wait. */
export function createWakeSignal() {
  let signalled = false;
  let stopWaiting = () => {};

  return {
    wake(): void {
      signalled = true;
      stopWaiting();
    },
    wait: async (ms: number, signal: AbortSignal): Promise<void> => {
      const woken = new AbortController();
      stopWaiting = () => woken.abort();
      if (!signalled) {
        const stop = () => woken.abort();
        signal.addEventListener("abort", stop, { once: true });
        if (!signal.aborted) await sleep(ms, undefined, { signal: woken.signal }).catch(() => undefined);
        signal.removeEventListener("abort", stop);
      }
      signalled = false;
    },
  };
}

export type WakeSignal = ReturnType<typeof createWakeSignal>;
