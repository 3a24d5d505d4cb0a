import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { close, createHttpServer, listen } from "../../../../api/http/server.ts";
import { openPool } from "../../../../db/core/pool.ts";
import { deployRegistry } from "../../../../scripts/contracts/deploy-registry.ts";
import { freePort } from "../../../../scripts/local/ports.ts";
import { type Answer, keys, nowhere } from "../../../support/api.ts";
import { deployerKey, owner } from "../../../support/chain/accounts.ts";
import { type Anvil, startAnvil } from "../../../support/chain/anvil.ts";
import { type Liar, startLiar } from "../../../support/chain/liar.ts";
import { createDatabase, type TestDatabase } from "../../../support/database/postgres.ts";
import { eventually } from "../../../support/eventually.ts";
import { type Program, runNode } from "../../../support/program.ts";
import { readRaw } from "../../../support/raw-http.ts";

/** A connection, and all that came over it. */
async function connected(port: number): Promise<{ socket: Socket; received: () => string }> {
  const socket = connect(port, "127.0.0.1");
  let text = "";
  socket.on("data", (chunk) => {
    text += chunk;
  });
  socket.on("error", () => undefined);
  await once(socket, "connect");
  return { socket, received: () => text };
}

const refuses = (port: number) =>
  eventually(
    "no new connections",
    () =>
      connected(port).then(
        ({ socket }) => {
          socket.destroy();
          return false;
        },
        () => true,
      ),
    (is) => is,
  );

describe("an API that is told to end", () => {
  let anvil: Anvil;
  let node: Liar;
  let database: TestDatabase;
  let environment: Record<string, string>;
  let program: Program;
  let port: number;

  before(async () => {
    [anvil, database] = await Promise.all([startAnvil(), createDatabase()]);
    node = await startLiar(anvil.url);
    const { registry } = await deployRegistry({ rpcUrl: anvil.url, deployerKey });
    environment = {
      PATH: process.env["PATH"] ?? "",
      DATABASE_URL: database.url,
      RPC_URL: node.url,
      REGISTRY_ADDRESS: registry,
      OIDC_ISSUER: nowhere,
      API_KEYS: `tenant-a:${keys["tenant-a"]}`,
    };
  });
  beforeEach(async () => {
    node.honest();
    port = await freePort();
    program = runNode(["api/main.ts"], { env: { ...environment, PORT: String(port) } });
    await program.until("registry checked");
  });
  afterEach(async () => {
    program.child.kill("SIGKILL");
    await program.ended;
  });
  after(async () => {
    await node.stop();
    await Promise.all([anvil.stop(), database.drop()]);
  });

  it("stores and answers what it is working on, closes what is idle at once, takes nothing new, and ends with 0", async () => {
    let release = () => {};
    let asked = false;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    node.on("eth_getCode", async () => {
      asked = true;
      await released;
      return undefined;
    });
    const idle = await connected(port);
    idle.socket.write("GET /health HTTP/1.1\r\nHost: a\r\n\r\n");
    await eventually("an answer", async () => idle.received(), Boolean);
    const answer = fetch(`http://127.0.0.1:${port}/assets/`, {
      method: "POST",
      headers: { "X-API-KEY": keys["tenant-a"], "Content-Type": "application/json" },
      body: JSON.stringify({ name: "Lease", author: owner.address }),
    });
    await eventually("a question to the node", async () => asked, Boolean);

    const told = performance.now();
    program.child.kill("SIGTERM");
    await refuses(port);
    if (!idle.socket.readableEnded) await once(idle.socket, "end");
    expect(program.child.exitCode).to.equal(null);
    release();

    const { status, headers } = await answer;
    expect(status).to.equal(202);
    expect(headers.get("connection")).to.equal("close");
    const { value } = (await (await answer).json()) as Answer;
    expect(await program.ended).to.include({ code: 0, stderr: "" });
    expect(performance.now() - told).to.be.below(10_000);
    const pool = openPool(database.url, { application: "test" });
    const { rows } = await pool.query("select id from service.requests");
    await pool.end();
    expect(rows).to.deep.equal([{ id: value.transactionId }]);
  });

  it("does not wait for a node that asked for a pause", async () => {
    const pause = { "retry-after": "300" };
    node.on("*", () => ({ http: { status: 429, headers: pause, body: "" } }));
    const answer = await fetch(`http://127.0.0.1:${port}/assets/`, {
      method: "POST",
      headers: { "X-API-KEY": keys["tenant-a"], "Content-Type": "application/json" },
      body: JSON.stringify({ name: "Lease", author: owner.address }),
    });
    expect(answer.status).to.equal(503);
    const told = performance.now();
    program.child.kill("SIGTERM");
    expect(await program.ended).to.include({ code: 0, stderr: "" });
    expect(performance.now() - told).to.be.below(10_000);
  });
});

describe("closing the server", () => {
  it("ends the connections that are left when requests under way had their time, and only then", async () => {
    const port = await freePort();
    const server = createHttpServer((request, response) => {
      if (request.url === "/late") setTimeout(() => response.end("whole"), 200);
    });
    await listen(server, port, "127.0.0.1");
    const [never, late] = [await connected(port), await connected(port)];
    never.socket.write("GET /never HTTP/1.1\r\nHost: a\r\n\r\n");
    late.socket.write("GET /late HTTP/1.1\r\nHost: a\r\n\r\n");
    await sleep(50);
    let closed = false;
    const closing = close(server, 600).then(() => {
      closed = true;
    });
    await eventually(
      "the late answer",
      async () => late.received(),
      (text) => text.includes("whole"),
    );
    expect(readRaw(late.received()).status).to.equal(200);
    expect(closed).to.equal(false);
    await closing;
    expect(never.received()).to.equal("");
    if (!never.socket.destroyed) await once(never.socket, "close");
  });
});
