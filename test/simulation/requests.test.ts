import { expect } from "chai";
import fc from "fast-check";
import { openPool, type Pool } from "../../db/pool.ts";
import { assetStates } from "../../domain/state.ts";
import { createDatabase, type TestDatabase } from "../support/postgres.ts";
import { randomSeed } from "./random.ts";
import { stories } from "./requests/commands.ts";
import { run } from "./requests/run.ts";

const authors = 50;
const steps = 18;

/**
 * Sequences of whatever may happen to requests, against a plain model of what their state must be. Fifty authors
 * act at the same time on one chain. MODEL_SEED and MODEL_SEQUENCES repeat a run, or make it longer;
 * MODEL_SHRINK=yes looks for a shorter story that fails, for as long as it takes.
 */
describe("requests, by the model", function () {
  this.timeout(600_000);

  let database: TestDatabase;
  let pool: Pool;
  before(async () => {
    database = await createDatabase();
    pool = openPool(database.url, { application: "model", max: 6 });
  });
  after(async () => {
    await pool.end();
    await database.drop();
  });

  it("are in the state that follows from what happened, and each change is noted once", async () => {
    const seed = Number(process.env["MODEL_SEED"] ?? randomSeed() >> 1);
    const sequences = Number(process.env["MODEL_SEQUENCES"] ?? 600);
    console.log(`      MODEL_SEED=${seed} MODEL_SEQUENCES=${sequences}`);
    const seen = new Map<string, number>();
    let runs = 0;
    await fc.assert(
      fc.asyncProperty(stories(authors, steps), async (story) => {
        runs += 1;
        for (const state of await run(pool, story, `${seed} ${runs}`))
          seen.set(state, (seen.get(state) ?? 0) + 1);
      }),
      { seed, numRuns: Math.ceil(sequences / authors), endOnFailure: process.env["MODEL_SHRINK"] !== "yes" },
    );
    if (process.env["TEST_LOG_LEVEL"]) console.log(seen);
    if (sequences < 600) return;
    const everything = [
      ...assetStates.map((state) => `create ${state}`),
      "link Confirmed",
      "revoke Received",
    ];
    expect([...seen.keys()], "states that the sequences led to").to.include.members(everything);
  });
});
