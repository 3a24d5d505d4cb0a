import { setImmediate as nextTurn } from "node:timers/promises";
import DataLoader from "dataloader";

const maxBatchSize = 50;

/**
 * Makes of a function that does many items at once one that takes a single item. Items of the same turn of the event
 * loop form a batch, and so do those that arrive while a batch runs: one at a time. Where a batch fails, each of its
 * items fails.
 */
export function serialBatches<Item, Result>(
  work: (items: readonly Item[]) => Promise<readonly Result[]>,
): (item: Item) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve();
  let running: Promise<unknown> = last;
  const loader = new DataLoader<Item, Result>(
    (items) => {
      const results = work(items);
      running = results.catch(() => undefined);
      return results;
    },
    {
      cache: false,
      maxBatchSize,
      batchScheduleFn(dispatch) {
        last = last
          .then(() => nextTurn())
          .then(() => {
            dispatch();
            return running;
          });
      },
    },
  );
  return (item) => loader.load(item);
}
