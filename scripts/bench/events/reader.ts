import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { createCaller } from "../caller.ts";
import { median, percentile } from "../measure.ts";
import { startClock } from "./clock.ts";
import { type Committed, isFor, openLog } from "./log.ts";
import { type Heard, nameOf, type Order, type Reader, type Report } from "./plan.ts";
import { startPolling } from "./poll.ts";
import { startReceiver } from "./receiver.ts";
import { openStream } from "./stream.ts";

/** The readers' process, started by laps.ts: opens all readers, and says at the end how soon they were told of each event. */

const awaitOrder = async (message: Order["do"]): Promise<Order> => {
  const [order] = (await once(process, "message")) as [Order];
  if (order.do !== message) throw new Error(`The readers' process was told to ${order.do}`);
  return order;
};
const report = (what: Report) => process.send?.(what);

/** Seconds after the last event in which the others must arrive. */
const patience = 30;

type Told = { reader: Reader; heard: [sequence: number, at: number][] };

/** Whether an event is of the lap. */
type IsMeasured = (sequence: number) => boolean;

async function main(): Promise<void> {
  const order = (await awaitOrder("read")) as Extract<Order, { do: "read" }>;
  const log = await openLog(order.databaseUrl);
  const now = startClock();
  const { told, close } = await openAll(order, now);
  const start = await log.end();
  report({ did: "read" });
  await awaitOrder("finish");
  const events = await log.after(start);
  const last = events.at(-1)?.sequence ?? start;
  const isMeasured = (sequence: number) => sequence > start && sequence <= last;
  await untilAllTold(told, events, isMeasured);
  await close();
  await log.close();
  report({ did: "finish", heard: summarize(told, events, isMeasured) });
  process.disconnect();
}

async function openAll({ apiUrl, readers }: Extract<Order, { do: "read" }>, now: () => number) {
  const caller = createCaller();
  const receiver = await startReceiver();
  const stop = new AbortController();
  const closers: (() => unknown)[] = [];
  const told: Told[] = readers.map((reader) => ({ reader, heard: [] }));
  const open = async ({ reader, heard }: Told) => {
    const { way, key, kinds, assetId } = reader;
    const headers = { "x-api-key": key };
    const about = `?kinds=${kinds.join()}${assetId === undefined ? "" : `&assetId=${assetId}`}`;
    const tell = (sequence: number) => void heard.push([sequence, now()]);
    if (way === "stream") {
      closers.push(await openStream(`${apiUrl}/events/stream${about}`, headers, tell));
    } else if (way === "webhook") {
      const filter = { kinds, ...(assetId !== undefined && { assetId }) };
      closers.push(await receiver.add(apiUrl, key, filter, tell));
    } else {
      const asked = { url: `${apiUrl}/events/${about}`, headers, everyMs: way.pollMs };
      await startPolling(caller, asked, (sequences) => sequences.forEach(tell), stop.signal);
    }
  };
  // Some at once: a thousand connections in one moment would be refused.
  const waiting = [...told];
  const openNext = async () => {
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) await open(next);
  };
  await Promise.all(Array.from({ length: 20 }, openNext));
  const close = async () => {
    stop.abort();
    for (const closer of closers) await closer();
    receiver.close();
    caller.close();
  };
  return { told, close };
}

/** Sequence numbers of the events that a reader must have been told of. */
const due = ({ reader }: Told, events: readonly Committed[]) =>
  events.filter((event) => isFor(reader, event)).map(({ sequence }) => sequence);

/** @throws where a reader was not told of an event, or of one twice or in another order within its subject */
async function untilAllTold(
  told: readonly Told[],
  events: readonly Committed[],
  isMeasured: IsMeasured,
): Promise<void> {
  const giveUp = performance.now() + patience * 1000;
  for (const one of told) {
    const wanted = due(one, events);
    const got = () => one.heard.map(([sequence]) => sequence).filter(isMeasured);
    while (got().length < wanted.length && performance.now() < giveUp) await sleep(20);
    // Deliveries to webhooks are in order for each asset.
    const sequences = one.reader.way === "webhook" ? got().sort((a, b) => a - b) : got();
    if (sequences.join() === wanted.join()) continue;
    const lost = wanted.filter((sequence) => !sequences.includes(sequence));
    throw new Error(
      `A ${nameOf(one.reader.way)} was told of ${sequences.length} events instead of ${wanted.length}` +
        (lost.length > 0 ? `; not of ${lost.slice(0, 10).join(", ")}` : ""),
    );
  }
}

function summarize(
  told: readonly Told[],
  events: readonly Committed[],
  isMeasured: IsMeasured,
): [string, Heard][] {
  const committedAt = new Map(events.map(({ sequence, at }) => [sequence, at]));
  const groups = Map.groupBy(told, ({ reader }) => nameOf(reader.way));
  return Array.from(groups, ([way, group]): [string, Heard] => {
    const late = group.flatMap(({ heard }) =>
      heard
        .filter(([sequence]) => isMeasured(sequence))
        .map(([sequence, at]) => at - (committedAt.get(sequence) ?? Number.NaN)),
    );
    return [
      way,
      { readers: group.length, events: late.length, median: median(late), p99: percentile(late, 99) },
    ];
  });
}

await main();
