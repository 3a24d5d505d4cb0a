import { ApiError } from "../../domain/errors.ts";

type Limits = {
  /** Most waiting tasks of one key. */
  most?: number;
  /** Longest wait in milliseconds, that of a database lock. */
  patience?: number;
};

/**
 * A queue for each key: runs tasks of one key one after the other. Tasks that would only wait for a database lock hold
 * no connection meanwhile, so contention on one lock does not exhaust the pool.
 * @throws ApiError TOO_MANY_AT_ONCE where too many tasks wait, or one waits too long
 */
export function createKeyedQueue({ most = 500, patience = 4_000 }: Limits = {}) {
  /** Waiting tasks by key, for keys with a running task. */
  const queues = new Map<string, Set<() => void>>();

  async function myTurn(key: string): Promise<void> {
    const queue = queues.get(key);
    if (queue === undefined) {
      queues.set(key, new Set());
      return;
    }
    if (queue.size >= most) throw tooBusy();
    await new Promise<void>((resolve, reject) => {
      const begin = () => {
        clearTimeout(timeout);
        resolve();
      };
      const timeout = setTimeout(() => {
        queue.delete(begin);
        reject(tooBusy());
      }, patience);
      queue.add(begin);
    });
  }

  function next(key: string): void {
    const queue = queues.get(key);
    const [first] = queue ?? [];
    if (first === undefined) {
      queues.delete(key);
      return;
    }
    queue?.delete(first);
    first();
  }

  return async <Result>(key: string, work: () => Promise<Result>): Promise<Result> => {
    await myTurn(key);
    try {
      return await work();
    } finally {
      next(key);
    }
  };
}

function tooBusy(): ApiError {
  return new ApiError(
    "TOO_MANY_AT_ONCE",
    "Too many calls wait for each other here. Send fewer at once, and this one again in a second.",
  );
}
