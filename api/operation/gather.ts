import { isDatabaseUnavailable } from "../../db/core/pool.ts";

/** Most questions that go into one statement, so that none waits for hundreds of others. */
const MOST = 50;

/** Statements of one kind that are under way at once; what comes meanwhile shares the next. */
const UNDER_WAY = 2;
/** Milliseconds after which the next goes out all the same, so that nobody waits for what a single answer takes. */
const PATIENCE = 5;

type Waiting<Key, Value> = {
  key: Key;
  resolve: (value: Value) => void;
  reject: (error: unknown) => void;
};

/**
 * Makes of a function that answers many questions at once one that takes a single question: those that come in
 * the same turn of the event loop, or while enough others are under way, go to the database together. Nothing is kept:
 * each answer is read after it was asked for. The busier the service, the more share one round trip; alone, a
 * question waits for nobody.
 */
export function gather<Key, Value>(
  answerAll: (keys: readonly Key[]) => Promise<readonly Value[]>,
  mostUnderWay = UNDER_WAY,
): (key: Key) => Promise<Value> {
  let waiting: Waiting<Key, Value>[] = [];
  let underWay = 0;
  let patience: NodeJS.Timeout | undefined;

  async function send(batch: readonly Waiting<Key, Value>[]): Promise<void> {
    underWay += 1;
    try {
      const values = await answerAll(batch.map(({ key }) => key));
      for (const [index, { resolve }] of batch.entries()) resolve(values[index] as Value);
    } catch (error) {
      // What cannot be read for one must not keep the others from their answers.
      if (batch.length > 1 && !isDatabaseUnavailable(error)) for (const one of batch) void send([one]);
      else for (const { reject } of batch) reject(error);
    } finally {
      underWay -= 1;
      if (waiting.length > 0 && underWay < mostUnderWay) setImmediate(sendSome);
    }
  }

  function sendSome(): void {
    if (waiting.length === 0) return;
    if (underWay < mostUnderWay) sendAll();
    else patience ??= setTimeout(sendAll, PATIENCE);
  }

  function sendAll(): void {
    clearTimeout(patience);
    patience = undefined;
    const all = waiting;
    waiting = [];
    for (let from = 0; from < all.length; from += MOST) void send(all.slice(from, from + MOST));
  }

  return (key) =>
    new Promise((resolve, reject) => {
      if (waiting.push({ key, resolve, reject }) === 1) setImmediate(sendSome);
    });
}
