import { expect } from "chai";
import { recordHead } from "../../../db/chain/index-position.ts";
import { addToCounters } from "../../../db/service/counters.ts";
import { renewLease, takeLease } from "../../../db/service/lease.ts";
import { queues } from "../../../db/service/queue-ages.ts";
import { counterMeanings } from "../../../domain/index/counters.ts";
import { startApi, type TestApi } from "../../support/api.ts";
import { chainFacts } from "../../support/database/chain-facts.ts";
import { eventually } from "../../support/eventually.ts";

const holder = "00000000-0000-4000-8000-000000000001";

describe("GET /metrics", () => {
  let api: TestApi;
  before(async () => {
    api = await startApi();
    const facts = chainFacts(api.pool, api.registry);
    await facts.emptyBlocks(10);
    await recordHead(api.pool, 1_010, 5);
  });
  after(() => api.stop());

  async function figures(of = api): Promise<Map<string, number>> {
    const response = await fetch(`${of.url}/metrics`);
    expect(response.status).to.equal(200);
    expect(response.headers.get("content-type")).to.match(/^text\/plain; version=0\.0\.4/);
    const lines = (await response.text()).split("\n").filter((line) => line !== "" && !line.startsWith("#"));
    return new Map(
      lines.map((line) => {
        const space = line.lastIndexOf(" ");
        return [line.slice(0, space).replace("asset_registry_", ""), Number(line.slice(space + 1))] as const;
      }),
    );
  }

  it("says how far the index is, and nothing of a rate while nobody writes", async () => {
    const seen = await figures();
    const expected = {
      database_up: 1,
      indexer_running: 0,
      head_block: 1_010,
      indexed_block: 10,
      lag_blocks: 1_000,
    };
    for (const [name, value] of Object.entries(expected)) expect(seen.get(name), name).to.equal(value);
    expect(seen.get("remaining_seconds")).to.equal(0);
    expect(seen.get("halted")).to.equal(0);
    expect(seen.get("process_resident_memory_bytes")).to.be.above(0);
  });

  it("says how long the rest takes, as GET /status does", async () => {
    await takeLease(api.pool, holder, 10);
    await renewLease(api.pool, holder, 10, 50);
    const seen = await figures();
    expect(seen.get("indexer_running")).to.equal(1);
    expect(seen.get("remaining_seconds")).to.equal(20);
    const { value } = await api.get("/status", { key: null });
    expect(value).to.include({ indexerRunning: true, blocksPerSecond: 50, remainingSeconds: 20, lag: 1_000 });
  });

  it("shows everything that indexers have counted, with reasons, and zero for what never happened", async () => {
    await addToCounters(
      api.pool,
      new Map([
        ["deep_reorg_total", 1],
        ['rpc_failure_total{reason="timeout"}', 2],
      ]),
    );
    await addToCounters(api.pool, new Map([['rpc_failure_total{reason="timeout"}', 3]]));
    const seen = await figures();
    expect(seen.get("deep_reorg_total")).to.equal(1);
    expect(seen.get("halt_total")).to.equal(0);
    expect(seen.get('rpc_failure_total{reason="timeout"}')).to.equal(5);
    const text = await (await fetch(`${api.url}/metrics`)).text();
    for (const [name, meaning] of Object.entries(counterMeanings)) {
      expect(text).to.contain(`# HELP asset_registry_${name} ${meaning}`);
    }
  });

  it("counts open requests by state", async () => {
    const { status } = await api.post("/assets/", {
      name: "A",
      author: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
    });
    expect(status).to.equal(202);
    expect((await figures()).get('open_requests{state="Received"}')).to.equal(1);
  });

  it("measures requests by method, route and status, and names no path", async () => {
    await api.get("/assets/0x12", { key: "wrong" });
    await api.get("/nowhere");
    const route = 'method="GET",route="/assets/{assetId}",status="401"';
    const seen = await eventually(
      "a figure of the request",
      () => figures(),
      (all) => all.has(`http_request_seconds_count{${route}}`),
    );
    expect(seen.get(`http_request_seconds_count{${route}}`)).to.equal(1);
    expect(seen.get(`http_request_seconds_bucket{le="+Inf",${route}}`)).to.equal(1);
    expect(seen.get('http_request_seconds_count{method="GET",route="none",status="404"}')).to.equal(1);
    expect([...seen.keys()].join())
      .to.not.include("0x12")
      .and.not.include("nowhere");
  });

  it("says how long the oldest entry of each queue has waited, and zero where none does", async () => {
    const before = await figures();
    for (const queue of queues) expect(before.get(`queue_age_seconds{queue="${queue}"}`)).to.equal(0);
    const { value } = await api.post("/assets/", {
      name: "B",
      author: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
    });
    await api.pool.query(
      `insert into service.transactions (hash, request_id, raw, nonce, stored_at)
       values (decode('${"01".repeat(32)}', 'hex'), $1, '\\x01', 1, now() - interval '100 seconds')`,
      [value.transactionId],
    );
    await api.pool.query(
      `insert into service.reported_hashes (request_id, hash, reported_at)
       values ($1, decode('${"02".repeat(32)}', 'hex'), now() - interval '200 seconds')`,
      [value.transactionId],
    );
    await api.pool.query(
      `insert into service.relays (request_id, signature, estimated_cost, stored_at)
       values ($1, '\\x01', 0, now() - interval '300 seconds')`,
      [value.transactionId],
    );
    const seen = await figures();
    for (const [queue, age] of [
      ["submission", 100],
      ["reported_hash", 200],
      ["relay", 300],
    ] as const)
      expect(seen.get(`queue_age_seconds{queue="${queue}"}`), queue).to.be.within(age, age + 60);
    await api.pool.query("update service.requests set settled = true where id = $1", [value.transactionId]);
    const after = await figures();
    for (const queue of queues) expect(after.get(`queue_age_seconds{queue="${queue}"}`)).to.equal(0);
  });

  it("answers without a database, and says that it is down", async () => {
    const cut = await startApi({ databaseDown: true });
    try {
      expect((await figures(cut)).get("database_up")).to.equal(0);
    } finally {
      await cut.stop();
    }
  });
});
