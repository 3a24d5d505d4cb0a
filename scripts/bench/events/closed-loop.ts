import { createCaller } from "../caller.ts";
import { percentile } from "../measure.ts";

export type Speed = { answers: number; rate: number; p50: number; p99: number };

export type Asked = { method: string; url: string; headers: Record<string, string>; body?: string };

/**
 * Asks over `callers` connections, each again as soon as it is answered.
 * @returns answers a second, and milliseconds of an answer
 * @throws when one is not 2xx
 */
export async function askInLoop(seconds: number, callers: number, next: () => Asked): Promise<Speed> {
  const { ask, close } = createCaller(callers);
  const times: number[] = [];
  const begin = performance.now();
  try {
    await Promise.all(
      Array.from({ length: callers }, async () => {
        while (performance.now() - begin < seconds * 1000) {
          const { method, url, headers, body } = next();
          const asked = performance.now();
          const { status, text } = await ask(method, url, headers, body);
          times.push(performance.now() - asked);
          if (status >= 300)
            throw new Error(`${method} ${url} was answered ${status}: ${text.slice(0, 300)}`);
        }
      }),
    );
  } finally {
    close();
  }
  const took = (performance.now() - begin) / 1000;
  return {
    answers: times.length,
    rate: times.length / took,
    p50: percentile(times, 50),
    p99: percentile(times, 99),
  };
}
