import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { createIndexPosition } from "../../../db/chain/index-position.ts";
import { inTransaction, openPool } from "../../../db/core/pool.ts";
import { freePort } from "../../../scripts/local/ports.ts";
import { keys, nowhere, registry } from "../../support/api.ts";
import { owner } from "../../support/chain/accounts.ts";
import { createDatabase, type TestDatabase } from "../../support/database/postgres.ts";
import { eventually } from "../../support/eventually.ts";
import { readRaw } from "../../support/raw-http.ts";

describe("api/main.ts", () => {
  const children: ChildProcess[] = [];
  let database: TestDatabase;

  before(async () => {
    database = await createDatabase();
  });
  after(() => database.drop());
  afterEach(() => {
    for (const child of children.splice(0)) child.kill("SIGKILL");
  });

  function start(environment: Record<string, string>) {
    const child = spawn(process.execPath, ["api/main.ts"], {
      env: { PATH: process.env["PATH"] ?? "", ...environment },
      stdio: ["ignore", "pipe", "pipe", "ipc"],
    });
    children.push(child);
    const output = { stdout: "", stderr: "" };
    child.stdout?.on("data", (chunk) => {
      output.stdout += chunk;
    });
    child.stderr?.on("data", (chunk) => {
      output.stderr += chunk;
    });
    const ended = new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve) => {
      child.once("close", (code) => resolve({ code, ...output }));
    });
    return { child, output, ended };
  }

  const settings = (port: number) => ({
    PORT: String(port),
    DATABASE_URL: database.url,
    RPC_URL: nowhere,
    REGISTRY_ADDRESS: registry.address,
    OIDC_ISSUER: nowhere,
    API_KEYS: `tenant-a:${keys["tenant-a"]}`,
  });

  /** Starts it on a free port, and waits until it answers; node and identity provider are down. */
  async function serving(environment: Record<string, string> = {}) {
    const port = await freePort();
    const program = start({ ...settings(port), ...environment });
    const alive = () =>
      fetch(`http://127.0.0.1:${port}/health`).then(
        ({ status }) => status,
        () => 0,
      );
    await eventually("/health", alive, (status) => status === 200);
    return { port, ...program };
  }

  it("keeps connections for the time of KEEP_ALIVE_TIMEOUT", async () => {
    const { port } = await serving({ KEEP_ALIVE_TIMEOUT: "620" });
    const { headers } = await fetch(`http://127.0.0.1:${port}/health`);
    expect(headers.get("keep-alive")).to.equal("timeout=620");
  });

  it("given no configuration: names everything that is missing, without a stack, and ends with 78", async () => {
    const { code, stdout, stderr } = await start({}).ended;
    expect(code).to.equal(78);
    expect(stdout).to.equal("");
    for (const name of ["DATABASE_URL", "RPC_URL", "REGISTRY_ADDRESS", "OIDC_ISSUER"])
      expect(stderr).to.contain(name);
    expect(stderr).not.to.match(/at .*\.ts|node:internal/);
  });

  it("does not even look at the relayer's key", async () => {
    const { output } = await serving({ RELAYER_KEY: "not a key" });
    expect(output.stderr).to.equal("");
  });

  it("given a port that is taken: says which in one line, and ends with 1", async () => {
    const { port } = await serving();
    const { code, stderr } = await start(settings(port)).ended;
    expect(code).to.equal(1);
    expect(stderr.trim().split("\n")).to.have.length(1);
    expect(stderr).to.contain(`Port ${port}`);
  });

  it("given a node that is down: serves, and /ready says what is missing", async () => {
    const { port } = await serving();
    const ready = await fetch(`http://127.0.0.1:${port}/ready`);
    expect(ready.status).to.equal(503);
    expect(((await ready.json()) as { error: { code: string } }).error.code).to.equal("NOT_READY");
  });

  it("when it is asked to end: answers what is under way, takes nothing new, and ends with 0", async () => {
    const { port, child, ended, output } = await serving();
    const body = JSON.stringify({ nmae: "A", author: owner.address });
    const socket = connect(port, "127.0.0.1");
    let answer = "";
    socket.on("data", (chunk) => {
      answer += chunk;
    });
    await once(socket, "connect");
    socket.write(
      `POST /assets/ HTTP/1.1\r\nHost: a\r\nX-API-KEY: ${keys["tenant-a"]}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 5)}`,
    );
    await sleep(200);
    child.kill("SIGTERM");
    const refused = () =>
      fetch(`http://127.0.0.1:${port}/health`).then(
        () => false,
        () => true,
      );
    await eventually("no new connections", refused, (is) => is);
    socket.write(body.slice(5));
    const { code } = await ended;
    expect(code).to.equal(0);
    expect(readRaw(answer).status).to.equal(400);
    expect(output.stdout).to.contain('"stopped"');
    expect(output.stderr).to.equal("");
  });

  it("when it is killed while it carries out a request: the same key makes one asset afterwards", async () => {
    const pool = openPool(database.url, { application: "test" });
    try {
      const cursor = { chainId: registry.chainId, registry: registry.address, startBlock: 0, headNumber: 0 };
      await inTransaction(pool, (tx) => createIndexPosition(tx, cursor));
      // What is stored waits here before it is committed.
      await pool.query(
        `create function service.wait() returns trigger language plpgsql
           as 'begin perform pg_advisory_xact_lock(4711); return null; end';
         create constraint trigger wait after insert on service.requests deferrable initially deferred
           for each row execute function service.wait()`,
      );
      const moments = {
        "before the asset is stored": "lock table service.requests in exclusive mode",
        "between that and the answer": "lock table service.idempotency_keys in exclusive mode",
        "when all is stored and nothing answered": "select pg_advisory_xact_lock(4711)",
      };
      for (const [index, [moment, hold]] of Object.entries(moments).entries()) {
        const first = await serving();
        await inTransaction(pool, async (tx) => {
          await tx.query(hold);
          const lost = create(first.port, index);
          await eventually("the request waits", waiting, (count) => count === 1);
          first.child.kill("SIGKILL");
          await first.ended;
          expect(await lost, moment).to.equal(undefined);
        });
        const second = await serving();
        const [made, again] = [await create(second.port, index), await create(second.port, index)];
        expect(made?.status, moment).to.equal(202);
        expect(made?.replayed, moment).to.equal(index === 2 ? "true" : null);
        expect(again).to.deep.equal({ ...made, replayed: "true" });
        const { rows } = await pool.query(
          "select '0x' || encode(asset_id, 'hex') as id from service.requests where details->>'name' = $1",
          [`Asset ${index}`],
        );
        expect(rows, moment).to.deep.equal([{ id: made?.id }]);
      }
    } finally {
      await pool.end();
    }

    async function waiting(): Promise<number> {
      const { rows } = await pool.query(
        // The sweep of old answers may have begun late, and wait too.
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
           and query not like '%delete from service.idempotency_keys%'`,
      );
      return rows.length;
    }

    async function create(port: number, index: number) {
      const response = await fetch(`http://127.0.0.1:${port}/assets/`, {
        method: "POST",
        headers: {
          "X-API-KEY": keys["tenant-a"],
          "Content-Type": "application/json",
          "Idempotency-Key": `killed-${index}`,
        },
        body: JSON.stringify({ name: `Asset ${index}`, author: owner.address }),
      }).catch(() => undefined);
      if (response === undefined) return undefined;
      const { value } = (await response.json()) as { value: { id: string } | null };
      return {
        status: response.status,
        id: value?.id,
        replayed: response.headers.get("idempotency-replayed"),
      };
    }
  });

  it("when its parent is gone: ends", async () => {
    const { child } = await serving();
    const exit = once(child, "exit");
    child.disconnect();
    expect(await exit).to.deep.equal([0, null]);
  });
});
