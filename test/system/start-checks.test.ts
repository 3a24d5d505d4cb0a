import { randomBytes } from "node:crypto";
import { expect } from "chai";
import pg from "pg";
import { WRONG_SETTING_EXIT_CODE } from "../../config.ts";
import { migrate } from "../../db/core/migrate.ts";
import { deployRegistry } from "../../scripts/contracts/deploy-registry.ts";
import { freePort } from "../../scripts/local/ports.ts";
import { deployerKey, other } from "../support/chain/accounts.ts";
import { type Anvil, startAnvil } from "../support/chain/anvil.ts";
import { createDatabase, createEmptyDatabase, type TestDatabase } from "../support/database/postgres.ts";
import { eventually } from "../support/eventually.ts";
import { type Issuer, startIssuer } from "../support/issuer.ts";
import { type Program, runNode } from "../support/program.ts";

type Line = { level: number; msg?: string; err?: { message: string }; part: string } & Record<
  string,
  unknown
>;

describe("what API and indexer say when they start", () => {
  let anvil: Anvil;
  let issuer: Issuer;
  let database: TestDatabase;
  let registry: string;
  let startBlock: number;
  const programs: Program[] = [];

  before(async () => {
    anvil = await startAnvil();
    issuer = await startIssuer();
    const deployed = await deployRegistry({ rpcUrl: anvil.url, deployerKey });
    ({ registry, blockNumber: startBlock } = deployed);
  });
  after(async () => {
    await issuer.stop();
    await anvil.stop();
  });
  beforeEach(async () => {
    database = await createDatabase();
  });
  afterEach(async () => {
    for (const { child, ended } of programs.splice(0)) {
      child.kill("SIGKILL");
      await ended;
    }
    await database.drop();
  });

  async function start(part: "api" | "indexer", environment: Record<string, string> = {}) {
    const program = runNode([`${part}/main.ts`], {
      env: {
        PATH: process.env["PATH"] ?? "",
        PORT: String(await freePort()),
        DATABASE_URL: database.url,
        RPC_URL: anvil.url,
        REGISTRY_ADDRESS: registry,
        START_BLOCK: String(startBlock),
        OIDC_ISSUER: issuer.url,
        POLL_INTERVAL: "100",
        LEASE_SECONDS: "1",
        ...environment,
      },
    });
    programs.push(program);
    const lines = () =>
      program
        .output()
        .split("\n")
        .filter((line) => line.startsWith("{"))
        .map((line) => JSON.parse(line) as Line);
    const said = (wanted: (line: Line) => boolean) =>
      eventually(
        "a line of the log",
        async () => lines().filter(wanted),
        (found) => found.length > 0,
        60,
      );
    return { ...program, lines, said };
  }

  /** That it ends with 78, one sentence and no stack. */
  async function refusal(
    part: "api" | "indexer",
    environment: Record<string, string>,
    exitCode: number = WRONG_SETTING_EXIT_CODE,
  ): Promise<string> {
    const { ended } = await start(part, environment);
    const { code, stderr } = await ended;
    expect(code, stderr).to.equal(exitCode);
    expect(stderr.trim()).to.match(/^[^\n]+\.$/);
    return stderr.trim();
  }

  const changed = (change: (url: URL) => void): string => {
    const url = new URL(database.url);
    change(url);
    return url.href;
  };

  for (const part of ["api", "indexer"] as const) {
    it(`${part}: versions, database, chain, registry and who relays, once each`, async () => {
      const { said, lines } = await start(part);
      await said(({ msg }) => msg?.includes("relayer") ?? false);
      await said(({ msg }) => msg === "registry checked");
      const of = (name: string) => lines().filter(({ msg, level }) => msg === name && level === 30);
      expect(of("database checked")).to.have.length(1);
      expect(of("database checked")[0]?.["postgres"]).to.match(/^\d+\.\d+/);
      expect(of("database checked")[0]?.["schema"]).to.match(/^\d{4}_/);
      expect(of("chain checked")).to.have.length(1);
      expect(of("chain checked")[0]).to.include({ chainId: 31_337 });
      expect(of("chain checked")[0]?.["client"]).to.match(/anvil/);
      expect(of("registry checked")).to.have.length(1);
      expect(of("registry checked")[0]).to.include({ registry });
      expect(lines().filter((line) => line["node"] === process.version)).to.have.length(1);
      if (part === "api") {
        await said(({ msg }) => msg === "identity provider checked");
        expect(of("identity provider checked")[0]).to.include({ issuer: issuer.url });
      }
    });

    it(`${part}: ends over what only another setting helps against`, async () => {
      const wrongPassword = changed((url) => Object.assign(url, { password: "wr0ng" }));
      expect(await refusal(part, { DATABASE_URL: wrongPassword })).to.match(/does not accept the password/);
      const nowhere = changed((url) => Object.assign(url, { pathname: "/nowhere" }));
      expect(await refusal(part, { DATABASE_URL: nowhere })).to.match(/no database nowhere/);
      expect(await refusal(part, { REGISTRY_ADDRESS: other.address })).to.match(/holds no contract/);
      await anvil.rpc("anvil_setCode", [other.address, "0x6001"]);
      expect(await refusal(part, { REGISTRY_ADDRESS: other.address })).to.match(/holds another contract/);
      await anvil.rpc("anvil_setCode", [other.address, "0x"]);
    });

    it(`${part}: waits for the schema and says so, and goes on once it is there`, async () => {
      const empty = await createEmptyDatabase();
      const { said } = await start(part, { DATABASE_URL: empty.url });
      const [line] = await said(({ msg }) => msg === "waiting for the database");
      expect(line?.err?.message).to.contain("npm run migrate");
      await migrate(empty.url);
      await said(({ msg }) => msg === "database checked");
      for (const { child, ended } of programs.splice(0)) {
        child.kill("SIGTERM");
        expect((await ended).code).to.equal(0);
      }
      await empty.drop();
    });

    it(`${part}: waits for a database and a node that are not there yet`, async () => {
      const port = await freePort();
      const gone = changed((url) => Object.assign(url, { port: String(port) }));
      const first = await start(part, { DATABASE_URL: gone });
      const [line] = await first.said(({ msg }) => msg === "waiting for the database");
      expect(line?.err?.message).to.contain(`127.0.0.1:${port}`).and.not.to.contain(new URL(gone).password);
      const second = await start(part, { RPC_URL: `http://127.0.0.1:${port}` });
      await second.said(({ msg }) => msg === "waiting for the node");
      for (const { child, ended } of [first, second]) {
        child.kill("SIGTERM");
        expect((await ended).code).to.equal(0);
      }
    });
  }

  it("standby: looks at chain and registry before it must take over, and ends where they are wrong", async () => {
    const leader = await start("indexer");
    await leader.said(({ msg }) => msg === "lease acquired");
    const standby = await start("indexer");
    await standby.said(({ msg }) => msg === "lease held by another indexer: standing by");
    await standby.said(({ msg }) => msg === "registry checked");
    expect(await refusal("indexer", { REGISTRY_ADDRESS: other.address })).to.match(/REGISTRY_ADDRESS/);
    const stranger = await startAnvil({ chainId: 4711 });
    try {
      expect(await refusal("indexer", { RPC_URL: stranger.url })).to.match(/serves chain 4711/);
      expect(await refusal("api", { RPC_URL: stranger.url })).to.match(/serves chain 4711/);
    } finally {
      await stranger.stop();
    }
    expect(leader.child.exitCode).to.equal(null);
  });

  it("an indexer serves its own health, readiness and metrics on INDEXER_PORT, leading or standing by", async () => {
    const ports = [await freePort(), await freePort()];
    const roles: string[] = [];
    for (const port of ports) {
      const indexer = await start("indexer", { INDEXER_PORT: String(port) });
      await indexer.said(({ msg }) => msg === "indexing started" || (msg?.includes("standing by") ?? false));
      const get = (path: string) => fetch(`http://127.0.0.1:${port}${path}`);
      const ready = await eventually(
        "readiness",
        async () => (await (await get("/ready")).json()) as { value: { role: string } | null },
        ({ value }) => value !== null && value !== undefined,
        30,
      );
      roles.push(ready.value?.role ?? "");
      expect((await get("/health")).status).to.equal(200);
      expect(await (await get("/metrics")).text()).to.contain("asset_registry_indexer_leading");
    }
    expect(roles).to.deep.equal(["leading", "standing by"]);
    // The program that has it may be about to end, so a restart may help.
    expect(await refusal("indexer", { INDEXER_PORT: String(ports[0]) }, 1)).to.match(/^Port \d+ .* is taken/);
  });

  it("waits for rights that are not granted yet, names them once, and goes on when they are", async () => {
    const role = `role_${randomBytes(6).toString("hex")}`;
    const admin = new pg.Client({ connectionString: database.url });
    await admin.connect();
    try {
      await admin.query(`create role ${role} login password 'right'`);
      const url = changed((one) => Object.assign(one, { username: role, password: "right" }));
      const api = await start("api", { DATABASE_URL: url });
      const [waiting] = await api.said(({ msg }) => msg === "waiting for the database");
      expect(waiting?.err?.message).to.match(/grants\.sql/);
      await admin.query(`grant usage on schema chain, service, jobs to ${role};
        grant select, insert on all tables in schema chain, service, jobs, public to ${role}`);
      await api.said(({ msg }) => msg === "registry checked");
      const waits = api.lines().filter(({ msg }) => msg === "waiting for the database");
      expect(new Set(waits.map(({ err }) => err?.message))).to.have.property("size", waits.length);
      expect(api.child.exitCode).to.equal(null);
    } finally {
      await admin.query(`drop owned by ${role}`);
      await admin.query(`drop role ${role}`);
      await admin.end();
    }
  });
});
