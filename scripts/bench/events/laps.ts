import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Hex } from "viem";
import type { PrivateKeyAccount } from "viem/accounts";
import { createCaller } from "../caller.ts";
import { cpuSecondsOf } from "../cpu.ts";
import { document, seededRandom } from "../documents.ts";
import { percentile } from "../measure.ts";
import { atRate, type Call, register } from "../registration.ts";
import type { WholeService } from "../whole-service.ts";
import type { Heard, Order, Reader, Report } from "./plan.ts";

/** The readers while assets are registered, and the tenants of those assets. */
export type Scenario = { name: string; readers: Reader[]; tenants: { tenant: string; key: string }[] };

export type Lap = {
  heard: Map<string, Heard>;
  /** Milliseconds of POST /assets/. */
  post: { median: number; p99: number };
  /** Seconds of processor time, from the first request until the last asset was Confirmed. */
  cpu: { API: number; PostgreSQL: number };
  seconds: number;
  ids: Hex[];
};

const random = seededRandom(1);

/** Opens readers in a process of their own. */
export async function startReaders(service: WholeService, readers: Reader[]) {
  const child = fork(join(import.meta.dirname, "reader.ts"));
  const tell = async (order: Order): Promise<Report> => {
    const ended = once(child, "exit").then(([code]) => {
      throw new Error(`The readers' process ended with exit code ${code}`);
    });
    const answered = once(child, "message") as Promise<[Report]>;
    child.send(order);
    const [answer] = await Promise.race([answered, ended]);
    // It ends when it has done all that it is told.
    ended.catch(() => undefined);
    return answer;
  };
  await tell({ do: "read", apiUrl: service.apiUrl, databaseUrl: service.databaseUrl, readers });
  return {
    async finish(): Promise<Map<string, Heard>> {
      const answer = await tell({ do: "finish" });
      return new Map("heard" in answer ? answer.heard : []);
    },
    stop: () => child.kill(),
  };
}

/**
 * Registers assets at a steady rate, each until it is Confirmed, while the readers of a scenario are told of them.
 * @throws where a reader was not told of everything, or an answer is not what it should be
 */
export async function runLap(
  service: WholeService,
  authors: readonly PrivateKeyAccount[],
  { readers, tenants }: Scenario,
  load: { rate: number; seconds: number },
): Promise<Lap> {
  const { ask, close } = createCaller();
  const reading = await startReaders(service, readers);
  const post: number[] = [];
  const ids: Hex[] = [];
  try {
    const cpuOf = () => ({
      API: cpuSecondsOf(service.pids.API),
      PostgreSQL: cpuSecondsOf(service.pids.PostgreSQL),
    });
    const before = cpuOf();
    const begin = performance.now();
    await atRate(load, authors, async (author, nth) => {
      const { key = "" } = tenants[nth % tenants.length] ?? {};
      const call: Call = async (step, method, path, body) => {
        const headers = { "x-api-key": key, "content-type": "application/json" };
        const asked = performance.now();
        const { status, text } = await ask(
          method,
          service.apiUrl + path,
          headers,
          body && JSON.stringify(body),
        );
        if (step === "create") post.push(performance.now() - asked);
        if (status >= 300) throw new Error(`${method} ${path} was answered ${status}: ${text.slice(0, 500)}`);
        return JSON.parse(text);
      };
      await register(call, author, document(random), (id) => void ids.push(id));
    });
    const headers = { "x-api-key": tenants[0]?.key ?? "" };
    for (const id of ids) {
      await untilConfirmed(
        async () => (await ask("GET", `${service.apiUrl}/assets/${id}/status`, headers)).text,
      );
    }
    const after = cpuOf();
    const seconds = (performance.now() - begin) / 1000;
    return {
      heard: await reading.finish(),
      post: { median: percentile(post, 50), p99: percentile(post, 99) },
      cpu: { API: after.API - before.API, PostgreSQL: after.PostgreSQL - before.PostgreSQL },
      seconds,
      ids,
    };
  } finally {
    reading.stop();
    close();
  }
}

async function untilConfirmed(status: () => Promise<string>): Promise<void> {
  for (const giveUp = performance.now() + 60_000; !(await status()).includes('"Confirmed"'); ) {
    if (performance.now() > giveUp) throw new Error("An asset was not Confirmed within a minute");
    await sleep(100);
  }
}
