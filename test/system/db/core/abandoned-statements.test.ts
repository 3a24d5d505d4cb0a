import { expect } from "chai";
import pg from "pg";
import { isDatabaseUnavailable, openPool, type Pool } from "../../../../db/core/pool.ts";
import { pgbouncerMissing, startPgbouncer } from "../../../support/database/pgbouncer.ts";
import { createDatabase, type TestDatabase } from "../../../support/database/postgres.ts";
import { eventually } from "../../../support/eventually.ts";

describe("a statement that its caller has given up", () => {
  let database: TestDatabase;
  let watcher: pg.Client;
  beforeEach(async () => {
    database = await createDatabase();
    watcher = new pg.Client({ connectionString: database.url, application_name: "watcher" });
    await watcher.connect();
  });
  afterEach(async () => {
    await watcher.end();
    await database.drop();
  });

  const backends = async () =>
    (
      await watcher.query<{ all: number; active: number }>(
        `select count(*)::int as all, count(*) filter (where state = 'active')::int as active
         from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
           and backend_type = 'client backend' and query not like 'autovacuum%'`,
      )
    ).rows[0] ?? { all: 0, active: 0 };

  /** Thirty callers, each of which comes again when it was given up; the table is locked all the while. */
  async function besiege(pool: Pool, most: number): Promise<void> {
    await watcher.query("begin; lock table chain.assets in access exclusive mode");
    const failures: unknown[] = [];
    let isOver = false;
    const callers = Array.from({ length: 30 }, async () => {
      while (!isOver) {
        await pool.query("select count(*) from chain.assets").catch((error) => failures.push(error));
      }
    });
    for (let look = 0; look < 20; look += 1) {
      const seen = await backends();
      expect(seen.all).to.be.at.most(most);
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
    isOver = true;
    await Promise.all(callers);
    expect(failures.length).to.be.above(30);
    for (const failure of failures) expect(isDatabaseUnavailable(failure), String(failure)).to.equal(true);
    // The lock still stands, and nobody waits for it any more.
    await eventually("the end of all statements", backends, ({ active }) => active === 0, 5);
    await watcher.query("rollback");
  }

  it("ends in the server, whose connections stay as many as the pool's", async () => {
    const pool = openPool(database.url, { application: "test", prompt: true });
    try {
      await besiege(pool, 10);
    } finally {
      await pool.end();
    }
  });

  it("ends in the server behind PgBouncer, too", async function () {
    if (pgbouncerMissing !== undefined) {
      console.log(`      Not run: ${pgbouncerMissing}`);
      this.skip();
    }
    const pooler = await startPgbouncer(database.url, { connections: 5 });
    const pool = openPool(pooler.url, { application: "test", prompt: true });
    try {
      await besiege(pool, 5);
    } finally {
      await pool.end();
      await pooler.stop();
    }
  });
});
