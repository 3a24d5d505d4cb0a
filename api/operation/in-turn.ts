import { ApiError } from "../../domain/errors.ts";

type Limits = {
  /** Works that may wait for one key. */
  most?: number;
  /** Milliseconds that one waits for its turn: as long as for a lock of the database. */
  patience?: number;
};

/**
 * Runs works of one key one after the other, in the order of their coming. Who would only wait for a lock of the
 * database holds no connection meanwhile: a crowd before one lock leaves the connections to everybody else.
 * @throws ApiError DATABASE_UNAVAILABLE where too many wait, or one waited too long
 */
export function createTurns({ most = 500, patience = 4_000 }: Limits = {}) {
  /** Of each key that somebody works under: those who wait. */
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
    "DATABASE_UNAVAILABLE",
    "Too many changes that must be stored one after the other are waiting. Try again later.",
  );
}
