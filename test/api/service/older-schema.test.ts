import { expect } from "chai";
import { expectError, startApi, type TestApi } from "../../support/api.ts";
import { owner } from "../../support/chain/accounts.ts";
import { chainFacts } from "../../support/database/chain-facts.ts";
import { createEmptyDatabase } from "../../support/database/postgres.ts";

describe("an API on another schema than its own", () => {
  let api: TestApi;
  beforeEach(async () => {
    api = await startApi();
    await chainFacts(api.pool, api.registry).asset();
  });
  afterEach(() => api.stop());

  it("older: is not ready, and answers 503 where it misses something, each saying to migrate", async () => {
    await api.pool.query("alter table service.requests rename column noted_state to newer");
    await api.pool.query("delete from public.migrations");
    await expectNotReady("run `npm run migrate`");
  });

  it("of an unreleased version: the same, saying that it cannot be upgraded", async () => {
    await api.pool.query("alter table service.requests rename column noted_state to newer");
    await api.pool.query("update public.migrations set name = '0001_registry' where name like '0001%'");
    await expectNotReady("made by an unreleased version");
  });

  async function expectNotReady(said: string): Promise<void> {
    for (const answer of [
      await api.get("/ready"),
      await api.post("/assets/", { name: "Lease", author: owner.address }),
      await api.get("/assets/?state=Received"),
    ]) {
      expect(expectError(answer, 503, "NOT_READY").message).to.contain(said);
      expect(answer.headers.get("retry-after")).to.equal("5");
    }
    expect((await api.get("/health")).status).to.equal(200);
  }

  it("without any table: says to migrate", async () => {
    const database = await createEmptyDatabase();
    const bare = await startApi({ database, indexed: false });
    try {
      for (const answer of [await bare.get("/ready"), await bare.get("/assets/")]) {
        expect(expectError(answer, 503, "NOT_READY").message).to.contain("npm run migrate");
      }
    } finally {
      await bare.stop();
      await database.drop();
    }
  });

  it("current, with something missing all the same: a fault of the service", async () => {
    await api.pool.query("alter table service.requests rename column noted_state to newer");
    expectError(await api.post("/assets/", { name: "Lease", author: owner.address }), 500, "INTERNAL_ERROR");
  });

  it("newer: goes on, for migrations of one version leave the one before it working", async () => {
    await api.pool.query("insert into public.migrations (name, run_on) values ('9999_tomorrow', now())");
    await api.pool.query("alter table service.requests add column of_tomorrow text");
    const created = await api.post("/assets/", { name: "Lease", author: owner.address });
    expect(created.status).to.equal(202);
    expect((await api.get("/assets/")).status).to.equal(200);
  });
});
