import { globSync } from "node:fs";
import { availableParallelism } from "node:os";

import type { Suite } from "./suites.ts";

/** Tests wait more than they work, so there may be one more at work than there are processors; each takes memory. */
const atOnce = Math.min(availableParallelism() + 1, 4);

/** The files of a suite, dealt in turn to the processes that run them side by side. */
export function shardsOf({ files, ignored, sideBySide }: Suite): string[][] {
  const found = globSync(files, { exclude: ignored }).sort();
  const shards = Array.from({ length: sideBySide ? atOnce : 1 }, (): string[] => []);
  for (const [index, file] of found.entries()) shards[index % shards.length]?.push(file);
  return shards.filter((shard) => shard.length > 0);
}
