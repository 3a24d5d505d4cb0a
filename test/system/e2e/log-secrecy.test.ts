import { randomUUID } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { freePort } from "../../../scripts/local/ports.ts";
import { owner } from "../../support/chain/accounts.ts";
import { type UnreliablePostgres, unreliablePostgres } from "../../support/database/unreliable-postgres.ts";
import { startIndexerProcess } from "../../support/indexer-process.ts";
import { type Issuer, startIssuer } from "../../support/issuer.ts";
import { type Program, runNode } from "../../support/program.ts";
import { type Rig, startRig } from "../../support/rigs/rig.ts";

const rpcKey = "rpc-key-0a1b2c3d4e5f67890a1b2c3d4e5f6789";
const rpcPassword = "rpc-password-77";
const apiKey = "api-key-of-the-configuration-0123456789";
const wrongKey = "api-key-that-is-wrong-0123456789abcdef";
const relayerKey = "0x7c852118294e51e653712a81e05800f419141751be58f605c3f6a1b2c3d4e5f6";

/** How a provider fails, and what the indexer calls it. */
type Failure = { reason: string; answer: (url: string) => { status: number; body: string } | "reset" };

/** Ways in which providers fail, and repeat what they were asked by. */
const failures: Record<string, Failure> = {
  "404 with the path": {
    reason: "http_status",
    answer: (url) => ({ status: 404, body: `Cannot POST ${url}` }),
  },
  "401 with the key": {
    reason: "http_status",
    answer: () => ({ status: 401, body: `{"message":"invalid project id ${rpcKey}"}` }),
  },
  "429 with the key": {
    reason: "rate_limited",
    answer: () => ({ status: 429, body: `{"message":"${rpcKey} has used up its requests"}` }),
  },
  "no JSON": {
    reason: "not_json",
    answer: (url) => ({ status: 200, body: `<a href="${url}">log in</a>` }),
  },
  "an error of JSON-RPC": {
    reason: "rpc_error",
    answer: (url) => ({
      status: 200,
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        error: { code: -32000, message: `${rpcKey} at ${url}` },
      }),
    }),
  },
  "a broken connection": { reason: "unreachable", answer: () => "reset" },
};

describe("what API and indexer tell", () => {
  let rig: Rig;
  let issuer: Issuer;
  let database: UnreliablePostgres;
  let provider: Server;
  let failure: Failure["answer"] | undefined;
  let api: Program;
  let indexer: ReturnType<typeof startIndexerProcess>;
  let url: string;
  const secrets = new Map<string, string>([
    ["the key in RPC_URL", rpcKey],
    ["the password in RPC_URL", rpcPassword],
    ["an API key", apiKey],
    ["a wrong API key", wrongKey],
    ["RELAYER_KEY", relayerKey.slice(2)],
  ]);
  /** Answers that everybody may read. */
  let shown = "";

  before(async () => {
    rig = await startRig();
    issuer = await startIssuer();
    provider = createServer(async (request, response) => {
      const body = await text(request);
      const answer = failure?.(`http://${request.headers.host}${request.url}`);
      if (answer === "reset") return void request.socket.destroy();
      if (answer !== undefined) return void response.writeHead(answer.status).end(answer.body);
      const headers = { "content-type": "application/json" };
      const reply = await fetch(rig.anvil.url, { method: "POST", headers, body });
      response.writeHead(200, headers).end(await reply.text());
    });
    await new Promise<void>((resolve) => provider.listen(0, "127.0.0.1", resolve));
    const { port: providerPort } = provider.address() as AddressInfo;
    database = await unreliablePostgres(rig.database.url);
    secrets.set("the password in DATABASE_URL", new URL(database.url).password);
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    const environment = {
      DATABASE_URL: database.url,
      RPC_URL: `http://user:${rpcPassword}@127.0.0.1:${providerPort}/v3/${rpcKey}?token=${rpcKey}`,
      REGISTRY_ADDRESS: rig.registry.address,
      RELAYER_KEY: relayerKey,
      LOG_LEVEL: "debug",
    };
    api = runNode(["api/main.ts"], {
      env: {
        PATH: process.env["PATH"],
        ...environment,
        PORT: String(port),
        OIDC_ISSUER: issuer.url,
        API_KEYS: `tenant-a:${apiKey}`,
        RATE_LIMIT_FAILURES: "5",
      },
    });
    indexer = startIndexerProcess(environment);
    await api.until("listening");
    await indexer.until("indexing started");
  });
  after(async () => {
    indexer.child.kill("SIGKILL");
    api.child.kill("SIGKILL");
    await Promise.all([indexer.end(), api.ended]);
    provider.closeAllConnections();
    provider.close();
    await database.cut();
    await issuer.stop();
    await rig.stop();
  });

  async function call(method: string, path: string, options: { body?: unknown; headers?: object } = {}) {
    const { body, headers } = options;
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: {
        "X-API-KEY": apiKey,
        ...(body === undefined ? {} : { "Content-Type": "application/json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    // biome-ignore lint/suspicious/noExplicitAny: the test looks into answers of every shape
    return { status: answer.status, body: JSON.parse(await answer.text()) as any };
  }

  async function lookAround(): Promise<void> {
    for (const path of ["/status", "/ready", "/metrics", "/health", "/"]) {
      shown += await (await fetch(`${url}${path}`)).text();
    }
  }

  /** Good and bad requests; what each failed one says is everybody's to read. */
  async function askAll(): Promise<void> {
    const token = await issuer.token();
    const created = await call("POST", "/assets/", { body: { name: "Lease", author: owner.address } });
    const transactionId = String(created.body.value?.transactionId ?? randomUUID());
    const refusal = `0x${"5e".repeat(65)}`;
    const raw = await rig.sign("0x1234", { nonce: 0 });
    secrets.set("a token", token).set("a signature", "5e".repeat(65)).set("a signed transaction", raw.raw);
    if (created.status === 202) secrets.set("a transaction's id, which opens it", transactionId);
    const answers = [
      await call("GET", `/assets/?X-API-KEY=${apiKey}`),
      await call("GET", "/assets/", { headers: { "X-API-KEY": wrongKey } }),
      await call("GET", "/wallets/", { headers: { Authorization: `Bearer ${token}` } }),
      await call("GET", "/wallets/", { headers: { Authorization: `Bearer ${token}x` } }),
      await call("GET", "/wallets/", { headers: { Authorization: `${token}` } }),
      await call("POST", "/wallets/", { headers: { Authorization: `Bearer ${token}` } }),
      await call("GET", `/transactions/${transactionId}`),
      await call("POST", `/transactions/${transactionId}/submit`, { body: { signedTransaction: raw.raw } }),
      await call("POST", `/transactions/${transactionId}/revoke`, { body: { signature: refusal } }),
      await call("POST", "/assets/", { body: `{"name":"${apiKey}` }),
    ];
    for (const { body } of answers) shown += JSON.stringify([body.error, body.value?.warning]);
    await lookAround();
  }

  /** Milliseconds after which what was logged has been written. */
  const written = 700;

  function expectNoSecret(): void {
    const told = {
      "the API's log": api.output(),
      "the indexer's log": indexer.lines().join("\n"),
      answers: shown,
    };
    for (const [where, said] of Object.entries(told)) {
      for (const [what, secret] of secrets) {
        const place = said.toLowerCase().indexOf(secret.toLowerCase());
        const line = said.slice(Math.max(0, place - 200), place + 200);
        expect(place, `${where} holds ${what}: ${line}`).to.equal(-1);
      }
    }
  }

  it("holds no secret when all goes well, and when callers are wrong", async () => {
    await askAll();
    await rig.mine();
    await sleep(written);
    expect(api.output()).to.contain('"status":401').and.contain('"status":202');
    expectNoSecret();
  });

  for (const [name, { reason, answer }] of Object.entries(failures)) {
    it(`holds no secret when the node answers by ${name}`, async () => {
      let met = 0;
      failure = (asked) => {
        met += 1;
        return answer(asked);
      };
      await rig.mine();
      await askAll();
      // It may rest from the failure before.
      await indexer.logged(new RegExp(`"reason":"${reason}"`), 30);
      await lookAround();
      failure = undefined;
      await sleep(written);
      expect(met).to.be.greaterThan(0);
      expectNoSecret();
    });
  }

  it("holds no secret when the database is gone", async () => {
    await database.cut();
    await askAll();
    await sleep(1_000);
    await lookAround();
    expect(api.output()).to.contain("DATABASE_UNAVAILABLE");
    expectNoSecret();
  });

  it("would hold one if it were written: the log names what failed", () => {
    expect(indexer.lines().join("\n")).to.contain("http_status").and.contain("unreachable");
    expect(api.output()).to.contain("NODE_UNAVAILABLE");
  });
});
