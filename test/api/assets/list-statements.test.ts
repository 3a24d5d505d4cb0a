import { expect } from "chai";
import { type AssetQuery, listAssets } from "../../../api/assets/list.ts";
import { createReads } from "../../../api/assets/reads.ts";
import { pagingOf } from "../../../api/operation/paging.ts";
import { createIndexPosition } from "../../../db/chain/index-position.ts";
import { inTransaction, openPool, type Pool } from "../../../db/core/pool.ts";
import { limits } from "../../../domain/limits.ts";
import { registry } from "../../support/api.ts";
import { owner } from "../../support/chain/accounts.ts";
import { createDatabase, type TestDatabase } from "../../support/database/postgres.ts";

/** Each holds about half a megabyte in every connection of the API until its process ends. */
describe("the prepared statements of lists", () => {
  let database: TestDatabase;
  let pool: Pool;
  before(async () => {
    database = await createDatabase();
    // One connection, which has all of them.
    pool = openPool(database.url, { application: "test", max: 1 });
    const position = { chainId: registry.chainId, registry: registry.address, startBlock: 0, headNumber: 0 };
    await inTransaction(pool, (tx) => createIndexPosition(tx, position));
  });
  after(async () => {
    await pool.end();
    await database.drop();
  });

  const all: AssetQuery = {
    ...{ author: undefined, file: undefined, nameStart: undefined, words: undefined },
    ...{ linkedTo: undefined, linkedFrom: undefined },
    ...{ state: undefined, createdFrom: undefined, createdTo: undefined },
  };
  const conditions: Partial<AssetQuery>[] = [
    { author: owner.address },
    { file: Buffer.alloc(12) },
    { nameStart: "lease" },
    { words: ["lease"] },
    { linkedTo: `0x${"1".repeat(64)}` },
    { linkedFrom: `0x${"1".repeat(64)}` },
    { state: "Received" },
    { state: "Committed" },
    { createdFrom: new Date(0) },
    { createdTo: new Date() },
  ];
  const list = (query: Partial<AssetQuery>, page: number, size: number) =>
    listAssets(
      { pool, reads: createReads(pool) },
      "tenant-a",
      { ...all, ...query },
      pagingOf({ page, size }),
    );
  const prepared = async (): Promise<number> =>
    (
      await pool.query<{ count: number }>(
        "select count(*) as count from pg_prepared_statements where statement like '%json_to_recordset%'",
      )
    ).rows[0]?.count ?? 0;

  it("are those of usual sizes, whatever page is asked for", async () => {
    for (const size of [1, 20, 21, 50, 51, limits.page.max]) await list({}, 1, size);
    expect(await prepared()).to.equal(3);
    for (let page = 5; page <= 40; page++) await list({}, page, 50);
    expect(await prepared()).to.equal(3);
  });

  it("are those of one condition at most, of a kind that is frequent", async () => {
    for (const one of conditions) {
      for (const other of conditions)
        for (const size of [20, 50, 200]) await list({ ...one, ...other }, 1, size);
    }
    // Of no condition and of six, in three sizes each.
    expect(await prepared()).to.equal(21);
  });
});
