import { Counter, collectDefaultMetrics, Gauge, Registry } from "prom-client";
import { counterMeanings, parseCounterKey } from "../../domain/index/counters.ts";
import type { Metrics } from "./metrics.ts";

/** Differs from the API's prefix, whose counters are sums over all indexers. */
const prefix = "asset_registry_indexer_";

/** Prometheus metrics of this process alone: whether it holds the lease, its counters, and Node.js defaults. */
export function createOwnFigures(metrics: Metrics, isLeading: () => boolean) {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  new Gauge({
    name: `${prefix}leading`,
    help: "1 while this indexer holds the lease, 0 while it stands by",
    registers: [registry],
    collect() {
      this.set(isLeading() ? 1 : 0);
    },
  });
  const counters = new Map<string, Counter>();
  for (const [name, meaning] of Object.entries(counterMeanings)) {
    const help = `${meaning}; since this process started`;
    counters.set(
      name,
      new Counter({ name: prefix + name, help, labelNames: ["reason"], registers: [registry] }),
    );
  }

  return async (): Promise<{ type: string; text: string }> => {
    for (const counter of counters.values()) counter.reset();
    const uncounted = new Map(counters);
    for (const [key, value] of metrics.values()) {
      const { name = "", reason } = parseCounterKey(key) ?? {};
      counters.get(name)?.inc(reason === undefined ? {} : { reason }, value);
      uncounted.delete(name);
    }
    for (const counter of uncounted.values()) counter.inc(0);
    return { type: registry.contentType, text: await registry.metrics() };
  };
}
