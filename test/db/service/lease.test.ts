import { expect } from "chai";
import { inTransaction, openPool, type Pool } from "../../../db/core/pool.ts";
import {
  LeaseLostError,
  proveLease,
  readLease,
  releaseLease,
  renewLease,
  takeLease,
} from "../../../db/service/lease.ts";
import { createDatabase, type TestDatabase } from "../../support/database/postgres.ts";

const [a, b] = ["00000000-0000-4000-8000-00000000000a", "00000000-0000-4000-8000-00000000000b"] as const;

describe("the lease of the indexer that writes", () => {
  let database: TestDatabase;
  let pool: Pool;
  before(async () => {
    database = await createDatabase();
    pool = openPool(database.url, { application: "test" });
  });
  after(async () => {
    await pool.end();
    await database.drop();
  });
  afterEach(() => pool.query("update service.indexer_lease set holder = null"));

  it("is held by one, until it is released", async () => {
    expect(await takeLease(pool, a, 10)).to.equal(true);
    expect(await takeLease(pool, b, 10)).to.equal(false);
    await releaseLease(pool, b);
    expect((await readLease(pool)).holder).to.equal(a);
    await releaseLease(pool, a);
    expect(await takeLease(pool, b, 10)).to.equal(true);
  });

  it("passes on when it has run out, and a late sign of life says so", async () => {
    await takeLease(pool, a, 0);
    expect((await readLease(pool)).holder).to.equal(undefined);
    expect(await renewLease(pool, a, 0, undefined), "nobody took it").to.equal(true);
    expect(await takeLease(pool, b, 10)).to.equal(true);
    expect(await renewLease(pool, a, 10, undefined)).to.equal(false);
  });

  it("goes to one of many that want it at the same time", async () => {
    const names = Array.from({ length: 10 }, (_, index) => `00000000-0000-4000-8000-00000000001${index}`);
    const taken = await Promise.all(names.map((name) => takeLease(pool, name, 10)));
    expect(taken.filter((won) => won)).to.have.length(1);
  });

  it("is not taken in the middle of a transaction of its holder, who goes on giving signs of life", async () => {
    await takeLease(pool, a, 0);
    await inTransaction(pool, async (tx) => {
      await proveLease(tx, a);
      expect(await takeLease(pool, b, 10)).to.equal(false);
      expect(await renewLease(pool, a, 0, 1)).to.equal(true);
    });
    expect(await takeLease(pool, b, 10)).to.equal(true);
  });

  it("is proved by each transaction of a guarded pool, or nothing is stored", async () => {
    const guarded = openPool(database.url, { application: "test", guard: (tx) => proveLease(tx, a) });
    try {
      await takeLease(pool, b, 10);
      let worked = false;
      const work = async () => {
        worked = true;
      };
      const outcome = await inTransaction(guarded, work).catch((error) => error);
      expect(outcome).to.be.instanceOf(LeaseLostError);
      expect(worked).to.equal(false);
    } finally {
      await guarded.end();
    }
  });
});
