import { expect } from "chai";
import { openPool, type Pool } from "../../../db/core/pool.ts";
import { assetStates } from "../../../domain/request/state.ts";
import { randomSeed } from "../../simulation/random.ts";
import { checkStories } from "../../simulation/requests/stories.ts";
import { createDatabase, type TestDatabase } from "../../support/database/postgres.ts";

/** MODEL_SEED and MODEL_SEQUENCES repeat a run, or make it longer; MODEL_SHRINK=yes looks for a shorter story. */
describe("requests, by the model, from a seed that nobody chose", function () {
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
    const shrink = process.env["MODEL_SHRINK"] === "yes";
    const seen = await checkStories(pool, { seed, sequences, shrink });
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
