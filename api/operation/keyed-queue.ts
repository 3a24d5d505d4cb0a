import { ApiError } from "../../domain/errors.ts";

type Limits = {
  /** Most tasks of one key that run at once. */
  atOnce?: number;
  /** Most waiting tasks of one key. */
  most?: number;
  /** Longest wait in milliseconds, that of a database lock. */
  patience?: number;
};

/** Tasks of a key: how many run, and those that wait for their turn. */
type Queue = { running: number; waiting: Set<() => void> };

/**
 * A queue for each key: runs so many tasks of one key at once, and the others when one of them ends. Tasks that would
 * only wait for a database lock hold no connection meanwhile, so contention on one lock does not exhaust the pool.
 * @throws ApiError TOO_MANY_AT_ONCE where too many tasks wait, or one waits too long
 */
export function createKeyedQueue({ atOnce = 1, most = 500, patience = 4_000 }: Limits = {}) {
  /** Of keys with a running task. */
  const queues = new Map<string, Queue>();

  async function myTurn(key: string): Promise<void> {
    const queue = queues.get(key) ?? { running: 0, waiting: new Set() };
    queues.set(key, queue);
    const { waiting } = queue;
    if (queue.running < atOnce) {
      queue.running += 1;
      return;
    }
    if (waiting.size >= most) throw tooBusy();
    await new Promise<void>((resolve, reject) => {
      const begin = () => {
        clearTimeout(timeout);
        resolve();
      };
      const timeout = setTimeout(() => {
        waiting.delete(begin);
        reject(tooBusy());
      }, patience);
      waiting.add(begin);
    });
  }

  function next(key: string): void {
    const queue = queues.get(key);
    if (queue === undefined) return;
    const [first] = queue.waiting;
    if (first !== undefined) {
      // The turn passes from one to the other.
      queue.waiting.delete(first);
      first();
      return;
    }
    queue.running -= 1;
    if (queue.running === 0) queues.delete(key);
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
