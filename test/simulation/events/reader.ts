import { createClient } from "../../../client/src/client.ts";
import type { RegistryEvent } from "../../../client/src/types/event.ts";
import type { Random } from "../random.ts";

/** Every kind that a tenant can read. */
export const kindsOfTenants = ["request", "asset", "link"] as const;

/** A reader of the stream that dies again and again, and goes on after the last event that it has dealt with. */
export function startReader(url: string, apiKey: string, random: Random) {
  const stop = new AbortController();
  const seen: RegistryEvent[] = [];
  let lives = 0;

  async function live(): Promise<void> {
    const death = AbortSignal.timeout(random.whole(20, 2_500));
    const signal = AbortSignal.any([death, stop.signal]);
    // A process of its own each time: nothing is left of the one before but the position that it stored.
    const client = createClient({ url, apiKey });
    try {
      for await (const event of client.events({
        after: seen.at(-1)?.sequence ?? 0,
        kinds: kindsOfTenants,
        signal,
      })) {
        seen.push(event);
        if (random.chance(0.01)) return;
      }
    } catch (error) {
      // Without a service for some seconds it is told so, and its next life tries again.
      if (!signal.aborted && !(error instanceof Error && error.name === "ConnectionError")) throw error;
    }
  }

  const ended = (async () => {
    for (; !stop.signal.aborted; lives += 1) await live();
  })();

  return {
    seen: (): readonly RegistryEvent[] => seen,
    lives: () => lives,
    async stop(): Promise<void> {
      stop.abort();
      await ended;
    },
  };
}
