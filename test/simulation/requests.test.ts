import { openPool, type Pool } from "../../db/core/pool.ts";
import { createDatabase, type TestDatabase } from "../support/database/postgres.ts";
import { checkStories } from "./requests/stories.ts";

/** From one seed; `npm run test:deep` takes many stories of another each time. */
describe("requests, by the model", function () {
  this.timeout(240_000);

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

  it("are in the state that follows from what happened, and each change is noted once", () =>
    checkStories(pool, { seed: 1, sequences: 50 }));
});
