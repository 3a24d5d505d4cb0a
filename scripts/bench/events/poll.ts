import { setTimeout as sleep } from "node:timers/promises";
import type { createCaller } from "../caller.ts";

type Page = { value: { sequence: number }[]; meta: { next: string } };

/** Asks for new events from now on, every so many milliseconds, until the signal aborts. @returns when it has begun */
export async function startPolling(
  { ask }: Pick<ReturnType<typeof createCaller>, "ask">,
  { url, headers, everyMs }: { url: string; headers: Record<string, string>; everyMs: number },
  told: (sequences: readonly number[]) => void,
  signal: AbortSignal,
): Promise<void> {
  let next = "";
  async function look(): Promise<Page["value"]> {
    const { status, text } = await ask("GET", `${url}&size=200${next && `&after=${next}`}`, headers);
    if (status !== 200) throw new Error(`GET ${url} was answered ${status}: ${text.slice(0, 300)}`);
    const { value, meta } = JSON.parse(text) as Page;
    next = meta.next;
    return value;
  }
  while ((await look()).length === 200);
  const poll = async () => {
    // Pollers have not all begun in the same moment.
    await sleep(Math.random() * everyMs);
    while (!signal.aborted) {
      const due = performance.now() + everyMs;
      let found = await look();
      told(found.map(({ sequence }) => sequence));
      while (found.length === 200) {
        found = await look();
        told(found.map(({ sequence }) => sequence));
      }
      await sleep(Math.max(0, due - performance.now()), undefined, { signal }).catch(() => undefined);
    }
  };
  void poll();
}
