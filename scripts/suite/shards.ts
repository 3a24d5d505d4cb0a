import { globSync, statSync } from "node:fs";
import { availableParallelism } from "node:os";

import type { Suite } from "./suites.ts";

/** Tests wait more than they work, so there may be one more at work than there are processors; each takes memory. */
const atOnce = Math.min(availableParallelism() + 1, 4);

/** The files of a suite, the largest first, each dealt to the process that has the least by then. */
export function shardsOf({ files, ignored, sideBySide }: Suite): string[][] {
  const found = globSync(files, { exclude: ignored })
    .sort()
    .map((file) => ({ file, bytes: statSync(file).size }))
    .toSorted((a, b) => b.bytes - a.bytes);
  const shards = Array.from({ length: sideBySide ? atOnce : 1 }, () => ({ bytes: 0, files: [] as string[] }));
  for (const { file, bytes } of found) {
    const least = shards.reduce((a, b) => (b.bytes < a.bytes ? b : a));
    least.files.push(file);
    least.bytes += bytes;
  }
  return shards.map((shard) => shard.files).filter((shard) => shard.length > 0);
}
