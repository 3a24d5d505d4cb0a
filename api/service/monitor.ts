import type { Pool } from "../../db/core/pool.ts";

/**
 * Reads for probes and scrapes, which need no credential and have no rate limit: each is read at most once a second and
 * shared by all callers, on connections of their own.
 */
export type Monitor = {
  pool: Pool;
  /** The last reading of a name if it is recent or still running, else a new one. */
  share<Value>(name: string, read: () => Promise<Value>): Promise<Value>;
};

type Reading = { value: Promise<unknown>; begunAt: number; isUnderWay: boolean };

export function createMonitor(pool: Pool, maxAgeMs = 1_000): Monitor {
  const readings = new Map<string, Reading>();

  function begin(name: string, read: () => Promise<unknown>): Reading {
    const reading: Reading = { value: read(), begunAt: performance.now(), isUnderWay: true };
    const end = () => {
      reading.isUnderWay = false;
    };
    reading.value.then(end, end);
    readings.set(name, reading);
    return reading;
  }

  return {
    pool,
    share<Value>(name: string, read: () => Promise<Value>) {
      const last = readings.get(name);
      const isGood = last && (last.isUnderWay || performance.now() - last.begunAt < maxAgeMs);
      // Of one name all readings are of one type.
      return (isGood ? last : begin(name, read)).value as Promise<Value>;
    },
  };
}
