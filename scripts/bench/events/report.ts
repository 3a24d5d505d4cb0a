import { machine, median } from "../measure.ts";
import type { Lap } from "./laps.ts";
import { type LogTurn, logs } from "./log-cost.ts";
import { CALLERS, type SpeedTurn } from "./speeds.ts";
import { EVENT_RATE, type ToldTurn } from "./told-cost.ts";

type Laps = ReadonlyMap<string, readonly Lap[]>;

const ms = (value: number): string => (Number.isNaN(value) ? "" : `${value.toFixed(value < 100 ? 1 : 0)} ms`);
const count = (value: number): string => Math.round(value).toLocaleString("en");

/** How soon readers are told of an event, by scenario; medians of the laps. */
export function readersTable(laps: Laps): string[] {
  const rows = Array.from(laps, ([name, ofScenario]) => {
    const of = (show: (lap: Lap) => number) => median(ofScenario.map(show));
    const late = (way: string) =>
      (["median", "p99"] as const).map((part) => ms(of((lap) => lap.heard.get(way)?.[part] ?? Number.NaN)));
    const way = ofScenario[0]?.heard.has("webhook") ? "webhook" : "stream";
    const told = (lap: Lap) => lap.heard.get(way)?.events ?? 0;
    const cpu = `${Math.round(of(({ cpu, seconds }) => cpu.API / seconds) * 1000)} ms`;
    const post = ms(of((lap) => lap.post.median));
    return `| ${[name, count(of(told)), ...late(way), ...late("poll 250"), ...late("poll 1000"), post, cpu].join(" | ")} |`;
  });
  return [
    "| Readers | Told | median | p99 | polled each 250 ms | p99 | polled each second | p99 | POST /assets/ | CPU of the API, each second |",
    `|${" --- |".repeat(10)}`,
    ...rows,
  ];
}

/** How fast the API answers while streams are open. */
export function speedsTable(turns: readonly SpeedTurn[]): string[] {
  const groups = [...Map.groupBy(turns, ({ streams }) => streams)].sort(([a], [b]) => a - b);
  const [none = []] = groups.map(([, group]) => group);
  const rows = groups.map(([streams, group]) => {
    const cells = (["post", "read"] as const).flatMap((of) => {
      const rate = median(group.map((turn) => turn[of].rate));
      const ratio = (100 * rate) / median(none.map((turn) => turn[of].rate));
      const cpu = median(group.map((turn) => turn[of].cpu));
      return [count(rate), `${Math.round(ratio)} %`, `${cpu.toFixed(2)} ms`];
    });
    const idle = `${(1000 * median(group.map(({ idleCpu }) => idleCpu))).toFixed(0)} ms`;
    return `| ${[count(streams), ...cells, idle].join(" | ")} |`;
  });
  return [
    `| Idle streams | POST /assets/ a second, ${CALLERS} callers | | CPU each | GET …/status a second | | CPU each | CPU of the API at rest, each second |`,
    `|${" --- |".repeat(8)}`,
    ...rows,
  ];
}

/** Processor time of the API for an event, by the streams that are told of it. */
export function toldTable(turns: readonly ToldTurn[]): string[] {
  const groups = [...Map.groupBy(turns, ({ streams }) => streams)].sort(([a], [b]) => a - b);
  const cpuOf = (group: readonly ToldTurn[]) => median(group.map(({ cpu }) => cpu));
  const [none = []] = groups.map(([, group]) => group);
  const rows = groups.map(([streams, group]) => {
    const each = streams === 0 ? "" : `${count((1000 * (cpuOf(group) - cpuOf(none))) / streams)} µs`;
    const late = (["median", "p99"] as const).map((part) =>
      ms(median(group.map(({ heard }) => heard?.[part] ?? Number.NaN))),
    );
    return `| ${[count(streams), `${cpuOf(group).toFixed(1)} ms`, each, ...late].join(" | ")} |`;
  });
  return [
    `| Streams that are told of each of ${EVENT_RATE} events a second | CPU of the API for an event | for each stream | median | p99 |`,
    `|${" --- |".repeat(5)}`,
    ...rows,
  ];
}

/** The cost of the log for the transaction of POST /assets/. */
export function logTable(turns: readonly LogTurn[]): string[] {
  const rows = [...Map.groupBy(turns, ({ writers }) => writers)].map(([writers, group]) => {
    const of = (log: string, show: (turn: LogTurn) => number) =>
      median(group.filter((turn) => turn.log === log).map(show));
    const none = of("none", ({ rate }) => rate);
    const cells = logs.flatMap((log) => {
      const rate = of(log, (turn) => turn.rate);
      const ratio = log === "none" ? [] : [`${Math.round((100 * rate) / none)} %`];
      return [count(rate), ...ratio, `${of(log, ({ cpu }) => cpu).toFixed(2)} ms`];
    });
    return `| ${[writers, ...cells].join(" | ")} |`;
  });
  return [
    "| Writers | without the log | CPU each | written | | CPU each | and numbered | | CPU each |",
    `|${" --- |".repeat(9)}`,
    ...rows,
  ];
}

export const heading = (rate: number, seconds: number, rounds: number): string =>
  `${machine()}. ${rate} registrations a second, a block each second; medians of ${rounds} rounds of ${seconds} s, taken in turn.`;
