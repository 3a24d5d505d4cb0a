/** Most pieces of work in one group, so that none waits for hundreds of others. */
const MOST = 50;

/**
 * Makes of a function that does many pieces of work at once one that takes a single piece. Those that come in the
 * same turn of the event loop go together, and those that come meanwhile go together next. Alone, a piece waits
 * for nobody. Where a group fails, each of its pieces has failed.
 */
export function inGroups<Item, Result>(
  work: (items: readonly Item[]) => Promise<readonly Result[]>,
): (item: Item) => Promise<Result> {
  type Waiting = { item: Item; resolve: (result: Result) => void; reject: (error: unknown) => void };
  let waiting: Waiting[] = [];
  let working = false;

  async function workOff(): Promise<void> {
    while (waiting.length > 0) {
      const group = waiting.slice(0, MOST);
      waiting = waiting.slice(MOST);
      try {
        const results = await work(group.map(({ item }) => item));
        for (const [index, { resolve }] of group.entries()) resolve(results[index] as Result);
      } catch (error) {
        for (const { reject } of group) reject(error);
      }
    }
    working = false;
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (working) return;
      working = true;
      setImmediate(() => void workOff());
    });
}
