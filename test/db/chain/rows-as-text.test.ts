import { expect } from "chai";
import { inLongSnapshot } from "../../../db/chain/rows-as-text.ts";
import { openPool } from "../../../db/core/pool.ts";
import { readIndexPosition } from "../../../db/reads/index-position.ts";
import { pgbouncerMissing, startPgbouncer } from "../../support/database/pgbouncer.ts";
import { createDatabase } from "../../support/database/postgres.ts";

describe("a long snapshot behind PgBouncer in transaction mode", () => {
  it("reads on a connection that another client has left its statements on", async function () {
    if (pgbouncerMissing !== undefined) {
      console.log(`      Not run: ${pgbouncerMissing}`);
      this.skip();
    }
    const database = await createDatabase();
    const pooler = await startPgbouncer(database.url, { connections: 1 });
    const first = openPool(pooler.url, { application: "test" });
    const second = openPool(pooler.url, { application: "test" });
    try {
      await readIndexPosition(first);
      const cursor = await inLongSnapshot(second, readIndexPosition);
      expect(cursor).to.equal(undefined);
    } finally {
      await Promise.all([first, second].map((pool) => pool.end()));
      await pooler.stop();
      await database.drop();
    }
  });
});
