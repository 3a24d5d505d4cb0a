import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import { isDatabaseUnavailable } from "../../db/core/pool.ts";
import { readIndexPosition } from "../../db/reads/index-position.ts";
import { countUndecoded } from "../../db/reads/undecoded.ts";
import { readCounters } from "../../db/service/counters.ts";
import { readDeliveryFigures } from "../../db/service/deliveries/figures.ts";
import { type IndexerWait, readWaits } from "../../db/service/indexer-waits.ts";
import { type Lease, readLease } from "../../db/service/lease.ts";
import { readProviders } from "../../db/service/providers.ts";
import { queueAges } from "../../db/service/queue-ages.ts";
import { readRelayer } from "../../db/service/relays/relayer.ts";
import { countRelays } from "../../db/service/relays/waiting-relays.ts";
import { countOpenByState } from "../../db/service/requests/history.ts";
import { counterMeanings, parseCounterKey } from "../../domain/index/counters.ts";
import type { IndexPosition } from "../../domain/index/index-position.ts";
import { remainingSeconds } from "../../domain/index/remaining.ts";
import { createDeliveryGauges } from "./delivery-gauges.ts";
import type { Monitor } from "./monitor.ts";
import { viewProviders } from "./provider-view.ts";

export const figuresType = Registry.PROMETHEUS_CONTENT_TYPE;

export type Figures = {
  read(): Promise<string>;
  /** Records an attempt to deliver to a webhook: `delivered`, or a code of its problem. */
  observeAttempt(outcome: string, seconds: number): void;
  /** Records the latency of a request. */
  observe(request: { method: string; route: string; status: number }, seconds: number): void;
};

const prefix = "asset_registry_";
const provider = ["provider"];

/**
 * Prometheus metrics. Those of the index, queues and relayer come from the database at each scrape, so every API
 * process shows the same; latencies, streams and Node.js defaults are those of this process.
 */
export function createFigures(monitor: Monitor, openStreams: () => number): Figures {
  const { pool } = monitor;
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const gauge = (name: string, help: string, labelNames: string[] = []) =>
    new Gauge({ name: prefix + name, help, labelNames, registers: [registry] });
  const gauges = {
    streams: gauge("event_streams", "Open streams of events of this process"),
    database_up: gauge("database_up", "1 if the database is reachable"),
    indexer_running: gauge("indexer_running", "1 if an indexer holds the lease"),
    head: gauge("head_block", "Newest block reported by the node"),
    head_age: gauge("head_age_seconds", "Seconds since the indexer last read the head"),
    indexed: gauge("indexed_block", "Newest block in the index"),
    final: gauge("final_block", "Newest final block"),
    lag: gauge("lag_blocks", "Blocks between the head and the index"),
    rate: gauge("blocks_per_second", "Indexing rate during a backfill; else 0"),
    remaining: gauge("remaining_seconds", "Estimated seconds until the backfill is done; else 0"),
    halted: gauge("halted", "1 if indexing has halted until an operator acts"),
    waiting: gauge("waiting_seconds", "Seconds for which a task of the indexer has been failing", [
      "work",
      "reason",
    ]),
    provider_up: gauge("provider_up", "1 if the provider answered its last call", provider),
    provider_in_use: gauge("provider_in_use", "1 if the provider is in use", provider),
    provider_head: gauge("provider_head_block", "Newest block reported by the provider", provider),
    provider_behind: gauge(
      "provider_behind_blocks",
      "Blocks behind the newest head of all providers",
      provider,
    ),
    provider_answered: gauge("provider_answered", "Calls answered since the indexer started", provider),
    provider_failed: gauge("provider_failed", "Calls failed since the indexer started", provider),
    relayer_balance: gauge("relayer_balance_wei", "Balance of the relayer; 0 without a relayer"),
    relayer: gauge("relayer_info", "Address of the relayer", ["address"]),
    relays_waiting: gauge("relays_waiting", "Signatures for which the relayer has sent no transaction yet"),
    relays_under_way: gauge("relays_under_way", "Transactions of the relayer that are not mined yet"),
    relayer_stuck: gauge(
      "relayer_stuck_seconds",
      "Seconds for which the relayer's next nonce has not been mined, which blocks all later ones; else 0",
    ),
    undecoded: gauge("undecoded_logs", "Registry logs that cannot be decoded"),
    queue_age: gauge("queue_age_seconds", "Age of the oldest entry of a queue", ["queue"]),
    open: gauge("open_requests", "Open requests, by the state stored last", ["state"]),
  };
  const deliveries = createDeliveryGauges(gauge, prefix, registry);
  const latency = new Histogram({
    name: `${prefix}http_request_seconds`,
    help: "Latency of HTTP requests of this process, by route and status",
    labelNames: ["method", "route", "status"],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  });
  const counters = new Map(
    Object.entries(counterMeanings).map(([name, help]) => [
      name,
      new Counter({ name: prefix + name, help, labelNames: ["reason"], registers: [registry] }),
    ]),
  );

  /** Reads everything before it sets any gauge, so that a scrape never sees two readings mixed. */
  async function measure(): Promise<void> {
    const [position, lease] = [await readIndexPosition(pool), await readLease(pool)];
    const [relayer, relays] = [await readRelayer(pool), await countRelays(pool)];
    const [undecoded, open] = [await countUndecoded(pool), await countOpenByState(pool)];
    const [ages, counted] = [await queueAges(pool), await readCounters(pool)];
    const delivered = await readDeliveryFigures(pool);
    const [waits, providers] = [await readWaits(pool), viewProviders(await readProviders(pool))];

    gauges.database_up.set(1);
    showIndex(position, lease);
    showNodes(waits, providers);
    gauges.relayer.reset();
    if (relayer !== undefined) gauges.relayer.set({ address: relayer.address }, 1);
    gauges.relayer_balance.set(Number(relayer?.balance ?? 0n));
    const stuckSince = relayer?.stuck?.since.getTime();
    gauges.relayer_stuck.set(stuckSince === undefined ? 0 : Math.max(0, (Date.now() - stuckSince) / 1000));
    gauges.relays_waiting.set(relays.waiting);
    gauges.relays_under_way.set(relays.underWay);
    gauges.undecoded.set(undecoded);
    gauges.open.reset();
    for (const [state, count] of open) gauges.open.set({ state }, count);
    for (const [queue, seconds] of ages) gauges.queue_age.set({ queue }, seconds);
    showCounters(counted);
    deliveries.show(delivered);
  }

  function showIndex(position: IndexPosition | undefined, lease: Lease): void {
    gauges.indexer_running.set(lease.holder === undefined ? 0 : 1);
    gauges.rate.set(lease.blocksPerSecond ?? 0);
    if (position === undefined) return;
    const lag = Math.max(0, position.headNumber - position.blockNumber);
    gauges.head.set(position.headNumber);
    gauges.head_age.set((Date.now() - position.headSeenAt.getTime()) / 1000);
    gauges.indexed.set(position.blockNumber);
    gauges.final.set(position.finalNumber);
    gauges.lag.set(lag);
    gauges.remaining.set(remainingSeconds(lag, lease.blocksPerSecond) ?? 0);
    gauges.halted.set(position.haltedReason === undefined ? 0 : 1);
  }

  function showNodes(waits: readonly IndexerWait[], providers: ReturnType<typeof viewProviders>): void {
    gauges.waiting.reset();
    for (const { work, reason, since } of waits) {
      gauges.waiting.set({ work, reason }, Math.max(0, (Date.now() - since.getTime()) / 1000));
    }
    const all = [gauges.provider_up, gauges.provider_in_use, gauges.provider_head, gauges.provider_behind];
    for (const one of [...all, gauges.provider_answered, gauges.provider_failed]) one.reset();
    for (const { name, inUse, up, headBlock, behind, answered, failed } of providers) {
      const labels = { provider: name };
      if (up !== null) gauges.provider_up.set(labels, up ? 1 : 0);
      gauges.provider_in_use.set(labels, inUse ? 1 : 0);
      if (headBlock !== null) gauges.provider_head.set(labels, headBlock);
      if (behind !== null) gauges.provider_behind.set(labels, behind);
      gauges.provider_answered.set(labels, answered);
      gauges.provider_failed.set(labels, failed);
    }
  }

  function showCounters(counted: ReadonlyMap<string, number>): void {
    const uncounted = new Map(counters);
    for (const counter of counters.values()) counter.reset();
    for (const [key, value] of counted) {
      const { name = "", reason } = parseCounterKey(key) ?? {};
      counters.get(name)?.inc(reason === undefined ? {} : { reason }, value);
      uncounted.delete(name);
    }
    for (const counter of uncounted.values()) counter.inc(0);
  }

  async function write(): Promise<string> {
    gauges.streams.set(openStreams());
    try {
      await measure();
    } catch (error) {
      if (!isDatabaseUnavailable(error)) throw error;
      gauges.database_up.set(0);
    }
    return await registry.metrics();
  }

  return {
    observeAttempt: deliveries.observe,
    observe: (labels, seconds) => latency.observe(labels, seconds),
    read: () => monitor.share("metrics", write),
  };
}
