import { readFileSync } from "node:fs";
import { expect } from "chai";
import { recordHalt, recordHead } from "../../../db/chain/index-position.ts";
import { expectError, registry, startApi, type TestApi } from "../../support/api.ts";
import { owner } from "../../support/chain/accounts.ts";
import { chainFacts } from "../../support/database/chain-facts.ts";

describe("service", () => {
  let api: TestApi;
  let facts: ReturnType<typeof chainFacts>;
  before(async () => {
    api = await startApi();
    facts = chainFacts(api.pool, api.registry);
  });
  after(() => api.stop());

  const get = (path: string) => api.get(path, { key: null });

  it("GET / names the service and its version", async () => {
    const { name, version } = JSON.parse(readFileSync("package.json", "utf8"));
    expect((await get("/")).value).to.deep.include({ name, version });
  });

  it("GET /health is about the process alone", async () => {
    expect((await get("/health")).value).to.deep.equal({ alive: true });
  });

  describe("GET /ready", () => {
    it("is 200 while the index follows the chain", async () => {
      await facts.emptyBlocks(3);
      const { status, value } = await get("/ready");
      expect(status).to.equal(200);
      expect(value).to.deep.equal({ ready: true, indexedBlock: facts.head, headBlock: facts.head });
    });

    it("is 200 up to five blocks behind, and 503 from the sixth on", async () => {
      await recordHead(api.pool, facts.head + 5, 5);
      expect((await get("/ready")).status).to.equal(200);
      await recordHead(api.pool, facts.head + 6, 5);
      const { message } = expectError(await get("/ready"), 503, "NOT_READY");
      expect(message).to.equal("The index is 6 blocks behind the chain.");
      await recordHead(api.pool, facts.head, 5);
    });

    it("is 503 when nobody has seen the chain's head for a while", async () => {
      await api.pool.query("update chain.cursor set head_seen_at = now() - interval '31 seconds'");
      expect(expectError(await get("/ready"), 503, "NOT_READY").message).to.match(/for 3\d s/);
      await recordHead(api.pool, facts.head, 5);
      expect((await get("/ready")).status).to.equal(200);
    });

    it("is 503 with the reason when the indexer has stopped", async () => {
      await recordHalt(api.pool, "another chain");
      expect(expectError(await get("/ready"), 503, "NOT_READY").message).to.contain("another chain");
      await recordHead(api.pool, facts.head, 5);
    });

    it("is 503 before an indexer has run, and for the index of another registry", async () => {
      const empty = await startApi({ indexed: false });
      try {
        expect(expectError(await empty.get("/ready"), 503, "NOT_READY").message).to.contain("not begun");
        expect((await empty.get("/status")).value).to.include({
          chainId: null,
          indexedBlock: null,
          lag: null,
        });
        const create = { name: "A", author: owner.address };
        expectError(await empty.post("/assets/", create), 503, "NODE_UNAVAILABLE");
      } finally {
        await empty.stop();
      }
      const moved = await startApi({ environment: { REGISTRY_ADDRESS: owner.address } });
      try {
        const { message } = expectError(await moved.get("/ready"), 503, "NOT_READY");
        expect(message).to.contain(registry.address).and.contain(owner.address);
        const create = { name: "A", author: owner.address };
        expectError(await moved.post("/assets/", create), 503, "NOT_READY");
      } finally {
        await moved.stop();
      }
    });
  });

  it("GET /status says how far the index is", async () => {
    await facts.emptyBlocks(5);
    await api.post("/assets/", { name: "A", author: owner.address });
    await recordHead(api.pool, facts.head + 2, 5);
    expect((await get("/status")).value).to.deep.equal({
      registry: registry.address,
      chainId: 31_337,
      startBlock: 0,
      headBlock: facts.head + 2,
      indexedBlock: facts.head,
      finalBlock: facts.head - 4,
      lag: 2,
      confirmations: 5,
      pendingRequests: 1,
      undecodedLogs: 0,
      haltedReason: null,
      waitingFor: [],
      providers: [],
      indexerRunning: false,
      blocksPerSecond: null,
      relayer: null,
      remainingSeconds: null,
    });
  });

  it("answers 503, but stays alive, while the database is down", async () => {
    const cut = await startApi({ databaseDown: true });
    try {
      expectError(await cut.get("/status"), 503, "DATABASE_UNAVAILABLE");
      expectError(await cut.get(`/assets/0x${"0".repeat(64)}`), 503, "DATABASE_UNAVAILABLE");
      expectError(await cut.get("/ready"), 503, "NOT_READY");
      expect((await cut.get("/health")).status).to.equal(200);
    } finally {
      await cut.stop();
    }
  });
});
