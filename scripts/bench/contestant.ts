import { readFileSync } from "node:fs";
import type { BenchChain } from "./chain.ts";
import { type FloorRun, getLogsAlone, getLogsAndCopy } from "./floors.ts";

/** Result of one run of a contestant, sent to its parent as one line of JSON. */
export type Lap = { seconds: number; events: number; peakRssMiB: number; cpuSeconds: number };

/** Started by index.ts in a process of its own: facts of the chain in argv[3], the rest by environment. */
const contestants: Record<string, (run: FloorRun) => Promise<number>> = {
  "get-logs": getLogsAlone,
  "get-logs-and-copy": getLogsAndCopy,
  indexer: async (run) => (await import("./indexer-run.ts")).indexAll(run),
};

const [, , name = "", facts = ""] = process.argv;
const work = contestants[name];
if (work === undefined) throw new Error(`There is no contestant ${name}`);
const { chain, rpcUrl, databaseUrl } = JSON.parse(readFileSync(facts, "utf8")) as {
  chain: BenchChain;
  rpcUrl: string;
  databaseUrl: string;
};

let begin = 0;
let cpuAtBegin = process.cpuUsage();
const events = await work({
  chain,
  rpcUrl,
  databaseUrl,
  ready: () => {
    begin = performance.now();
    cpuAtBegin = process.cpuUsage();
  },
});
const cpu = process.cpuUsage(cpuAtBegin);
const lap: Lap = {
  seconds: (performance.now() - begin) / 1000,
  events,
  peakRssMiB: process.resourceUsage().maxRSS / 1024,
  cpuSeconds: (cpu.user + cpu.system) / 1e6,
};
console.log(JSON.stringify(lap));
