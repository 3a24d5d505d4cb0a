import { connect } from "node:net";
import { expect } from "chai";
import { pino } from "pino";
import { createIndexPosition, recordHalt, recordHead } from "../../../db/chain/index-position.ts";
import { endWait, recordWait } from "../../../db/service/indexer-waits.ts";
import { createMetrics } from "../../../indexer/monitoring/metrics.ts";
import { type State, startMonitoring } from "../../../indexer/monitoring/monitoring.ts";
import { PortTakenError } from "../../../indexer/monitoring/port.ts";
import { freePort } from "../../../scripts/local/ports.ts";
import { registry, useDatabase } from "../../db/rows.ts";
import { readRaw, sendRaw } from "../../support/raw-http.ts";

describe("the indexer's own port", () => {
  const store = useDatabase();
  const log = pino({ level: "silent" });
  let open: { close: () => Promise<void> } | undefined;
  let port: number;
  let state: State;
  const metrics = createMetrics();

  async function start(more: { METRICS_TOKEN?: string; DATABASE_URL?: string } = {}) {
    port = await freePort();
    state = { role: "starting", waitingFor: undefined };
    const config = { DATABASE_URL: store.url, POLL_INTERVAL: 1_000, INDEXER_PORT: port, ...more };
    open = await startMonitoring(config, { state, metrics, log });
  }
  afterEach(async () => {
    await open?.close();
    open = undefined;
  });

  async function get(path: string, options: RequestInit = {}) {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, options);
    const text = await response.text();
    const isJson = response.headers.get("content-type")?.startsWith("application/json");
    return { status: response.status, body: isJson ? JSON.parse(text) : text };
  }

  /** Past the second for which an answer is kept. */
  async function ready() {
    await open?.close();
    const { role, waitingFor } = state;
    await start();
    Object.assign(state, { role, waitingFor });
    return await get("/ready");
  }

  it("is alive, and ready when it leads and has caught up, or stands by", async () => {
    await start();
    expect(await get("/health")).to.deep.equal({ status: 200, body: { value: { alive: true } } });
    expect((await get("/ready")).status).to.equal(503);
    Object.assign(state, { waitingFor: "The database is not there." });
    expect((await ready()).body.error).to.deep.equal({
      code: "NOT_READY",
      message: "The database is not there.",
    });
    Object.assign(state, { role: "standing by" });
    expect((await ready()).body).to.deep.equal({ value: { ready: true, role: "standing by" } });
    Object.assign(state, { role: "leading" });
    expect((await ready()).status).to.equal(503);
    const { address, chainId } = registry;
    await store.write((tx) =>
      createIndexPosition(tx, { chainId, registry: address, startBlock: 1, headNumber: 0 }),
    );
    expect((await ready()).body).to.deep.equal({ value: { ready: true, role: "leading" } });
  });

  it("is not ready where it is behind or has stopped, and says why", async () => {
    await start();
    const { address, chainId } = registry;
    await store.write((tx) =>
      createIndexPosition(tx, { chainId, registry: address, startBlock: 1, headNumber: 0 }),
    );
    Object.assign(state, { role: "leading" });
    await recordHead(store.pool, 90, 5);
    expect((await ready()).body.error.message).to.contain("90 blocks behind");
    const work = "following the chain";
    const wait = { work, reason: "timeout", problem: "It is late.", provider: "node.example" };
    await recordWait(store.pool, wait);
    expect((await ready()).body.error.message).to.match(
      /chain\. Since \d{4}-\S+ following the chain waits \(node\.example\): It is late\.$/,
    );
    await endWait(store.pool, work);
    await recordHalt(store.pool, "Nothing fits.");
    const { status, body } = await ready();
    expect(status).to.equal(503);
    expect(body.error.message).to.equal("The indexer has stopped: Nothing fits.");
  });

  it("says that the database does not answer, and stays alive", async () => {
    await start({ DATABASE_URL: `postgres://u:p@127.0.0.1:${await freePort()}/d` });
    Object.assign(state, { role: "standing by" });
    expect((await get("/ready")).body.error.message).to.equal("The database does not answer.");
    expect((await get("/health")).status).to.equal(200);
  });

  it("tells what this process counted, the same however many ask at once", async () => {
    await start();
    Object.assign(state, { role: "leading" });
    for (let times = 0; times < 7; times += 1) metrics.count("reorg_total");
    metrics.count("rpc_failure_total", "timeout");
    const answers = await Promise.all(Array.from({ length: 10 }, () => get("/metrics")));
    for (const { status, body } of answers) {
      expect(status).to.equal(200);
      expect(body).to.match(/^asset_registry_indexer_reorg_total 7$/m);
      expect(body).to.match(/^asset_registry_indexer_rpc_failure_total\{reason="timeout"\} 1$/m);
      expect(body).to.match(/^asset_registry_indexer_halt_total 0$/m);
      expect(body).to.match(/^asset_registry_indexer_leading 1$/m);
      expect(body).to.contain("process_resident_memory_bytes");
    }
  });

  it("keeps metrics for the bearer of METRICS_TOKEN", async () => {
    const token = "a-token-of-the-operator-0123";
    await start({ METRICS_TOKEN: token });
    for (const headers of [{}, { authorization: "Bearer wrong" }, { authorization: token }]) {
      expect((await get("/metrics", { headers })).body.error.code).to.equal("METRICS_TOKEN_INVALID");
    }
    expect((await get("/metrics", { headers: { authorization: `bearer ${token}` } })).status).to.equal(200);
    const header = `Authorization: Bearer ${token}\r\n`;
    const twice = `GET /metrics HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${header}${header}\r\n`;
    expect(readRaw(await sendRaw(port, twice)).status).to.equal(401);
    expect((await get("/ready")).status).to.equal(503);
  });

  it("knows no other path and method, and cuts off who is slow or too many", async () => {
    await start();
    expect((await get("/assets/")).status).to.equal(404);
    expect((await get("/health", { method: "POST", body: "x".repeat(100_000) })).status).to.equal(405);
    const idle = Array.from({ length: 60 }, () => connect(port, "127.0.0.1"));
    const ends = idle.map(
      (socket) =>
        new Promise((resolve) => {
          socket.on("error", () => undefined);
          socket.once("close", resolve);
          // Some are told that they were too slow; a socket whose data nobody reads never closes.
          socket.resume();
          socket.write("GET /hea");
        }),
    );
    await Promise.all(ends);
    expect((await get("/health")).status).to.equal(200);
  });

  it("ends over a port that is taken, in one sentence", async () => {
    await start();
    const config = { DATABASE_URL: store.url, POLL_INTERVAL: 1_000, INDEXER_PORT: port };
    const error = await startMonitoring(config, { state, metrics, log }).catch((reason) => reason);
    expect(error).to.be.instanceOf(PortTakenError);
    expect(error.message).to.contain(`Port ${port} of 127.0.0.1 is taken by another program`);
  });

  it("is not there where INDEXER_PORT is unset", async () => {
    const quiet = await startMonitoring(
      { DATABASE_URL: store.url, POLL_INTERVAL: 1 },
      { state, metrics, log },
    );
    await quiet.close();
  });
});
