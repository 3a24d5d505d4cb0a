import autocannon from "autocannon";
import { cpuSecondsOf } from "../cpu.ts";
import { percentile } from "../measure.ts";

export type Target = {
  url: string;
  paths: readonly string[];
  headers?: Record<string, string>;
  /** Process ids of the server and of its database. */
  pid: number;
  postgres: number;
};

export type Laps = {
  /** Answers a second. */
  rate: number;
  /** Milliseconds. */
  p50: number;
  p99: number;
  /** Microseconds of processor time for one answer, of the server's process; NaN where it cannot be read. */
  cpu: number;
  /** Microseconds of PostgreSQL's processor time for one answer. */
  postgres: number;
};

/** Asks for the paths in turn over `connections` connections. @throws when an answer is not 200 */
export async function load(target: Target, seconds: number, connections: number): Promise<Laps> {
  const latencies: number[] = [];
  const statuses = new Map<number, number>();
  const before = [cpuSecondsOf(target.pid), cpuSecondsOf(target.postgres)] as const;
  const began = performance.now();
  const result = await new Promise<autocannon.Result>((resolve, reject) => {
    const options = {
      url: target.url,
      connections,
      duration: seconds,
      // The smallest step: the run ends with the first one after its time.
      sampleInt: 100,
      headers: target.headers ?? {},
      requests: target.paths.map((path) => ({ method: "GET" as const, path })),
    };
    const run = autocannon(options, (error, found) => (error ? reject(error) : resolve(found)));
    run.on("response", (_client, status, _bytes, milliseconds) => {
      latencies.push(milliseconds);
      if (status !== 200) statuses.set(status, (statuses.get(status) ?? 0) + 1);
    });
  });
  const took = performance.now() - began;
  const each = (pid: number, since: number) => ((cpuSecondsOf(pid) - since) * 1e6) / latencies.length;
  const [cpu, postgres] = [each(target.pid, before[0]), each(target.postgres, before[1])];
  if (statuses.size > 0 || result.errors > 0 || latencies.length === 0) {
    const seen = JSON.stringify(Object.fromEntries(statuses));
    throw new Error(
      `${target.paths[0]}: ${latencies.length} answers, ${result.errors} errors, others: ${seen}`,
    );
  }
  return {
    rate: latencies.length / (took / 1000),
    p50: percentile(latencies, 50),
    p99: percentile(latencies, 99),
    cpu,
    postgres,
  };
}
