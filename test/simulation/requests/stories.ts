import fc from "fast-check";
import type { Pool } from "../../../db/core/pool.ts";
import { stories } from "./commands.ts";
import { run } from "./run.ts";

const authors = 50;
const steps = 18;

export type StoryOptions = {
  seed: number;
  /** Fifty authors act at the same time on one chain, each by a sequence of its own. */
  sequences: number;
  /** Look for a shorter story that fails, for as long as it takes. */
  shrink?: boolean;
};

/**
 * Sequences of whatever may happen to requests, against a plain model of what their state must be.
 * @returns the states that they led to, each with its count
 */
export async function checkStories(pool: Pool, options: StoryOptions): Promise<Map<string, number>> {
  const { seed, sequences, shrink = false } = options;
  const seen = new Map<string, number>();
  let runs = 0;
  await fc.assert(
    fc.asyncProperty(stories(authors, steps), async (story) => {
      runs += 1;
      for (const state of await run(pool, story, `${seed} ${runs}`))
        seen.set(state, (seen.get(state) ?? 0) + 1);
    }),
    { seed, numRuns: Math.ceil(sequences / authors), endOnFailure: !shrink },
  );
  return seen;
}
