import DataLoader from "dataloader";
import { isDatabaseUnavailable } from "../../db/core/pool.ts";

/** Most keys that are loaded by one statement, so that none waits for hundreds of others. */
const maxBatchSize = 50;

/**
 * Makes of a function that loads many keys at once one that loads a single key: keys that are asked for in the same
 * turn of the event loop are loaded together. Nothing is cached. Where a batch fails for another reason than a
 * database that is down, each key is loaded by itself, so that only those fail that cannot be loaded.
 */
export function batched<Key, Value>(
  loadAll: (keys: readonly Key[]) => Promise<readonly Value[]>,
): (key: Key) => Promise<Value> {
  const loadOne = async (key: Key): Promise<Value> => (await loadAll([key]))[0] as Value;
  const loader = new DataLoader<Key, Value>(
    async (keys) => {
      try {
        return await loadAll(keys);
      } catch (error) {
        if (keys.length === 1 || isDatabaseUnavailable(error)) throw error;
        return await Promise.all(keys.map((key) => loadOne(key).catch((problem: Error) => problem)));
      }
    },
    { cache: false, maxBatchSize, batchScheduleFn: setImmediate },
  );
  return (key) => loader.load(key);
}
