import { type CounterName, counterKey } from "../../domain/index/counters.ts";

export type Metrics = {
  count(name: CounterName, reason?: string): void;
  /** Counts since the start, by `name` or `name{reason="…"}`. */
  values(): ReadonlyMap<string, number>;
  /** Counts since the last call. */
  take(): Map<string, number>;
};

export function createMetrics(): Metrics {
  const total = new Map<string, number>();
  let fresh = new Map<string, number>();
  const add = (to: Map<string, number>, key: string) => to.set(key, (to.get(key) ?? 0) + 1);
  return {
    count(name, reason) {
      const key = counterKey(name, reason);
      add(total, key);
      add(fresh, key);
    },
    values: () => total,
    take() {
      const taken = fresh;
      fresh = new Map();
      return taken;
    },
  };
}
