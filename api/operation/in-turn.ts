/**
 * Runs works of one key one after the other, in the order of their coming. Who would only wait for a lock of the
 * database holds no connection meanwhile: a crowd before one lock leaves the connections to everybody else.
 */
export function createTurns() {
  const last = new Map<string, Promise<unknown>>();

  return async <Result>(key: string, work: () => Promise<Result>): Promise<Result> => {
    const before = last.get(key);
    const mine = before === undefined ? work() : before.then(work, work);
    const ended = mine.catch(() => undefined);
    last.set(key, ended);
    try {
      return await mine;
    } finally {
      if (last.get(key) === ended) last.delete(key);
    }
  };
}
