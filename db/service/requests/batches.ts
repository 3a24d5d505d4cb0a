/** Requests of one batch, each of which has up to a hundred links. */
const batch = 500;

/** Splits ids into batches, in the order of `lockRequests`. */
export function* inBatches(ids: readonly string[]): Generator<string[]> {
  const sorted = [...ids].sort();
  for (let start = 0; start < sorted.length; start += batch) yield sorted.slice(start, start + batch);
}
