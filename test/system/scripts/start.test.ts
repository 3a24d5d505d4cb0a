import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";

import { settings } from "../../../config.ts";
import { freePort, isPortFree } from "../../../scripts/local/ports.ts";
import { eventually } from "../../support/eventually.ts";
import { isRunning, type Program, runNode, untilUnused } from "../../support/program.ts";

describe("npm start", () => {
  let folder: string;
  const programs: Program[] = [];
  let ports: { PORT: string; CHAIN_PORT: string; OIDC_PORT: string };

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), "start-"));
    chmodSync(folder, 0o755); // PostgreSQL, which does not run as root, keeps its files in there
    const [PORT, CHAIN_PORT, OIDC_PORT] = (await Promise.all([freePort(), freePort(), freePort()])).map(
      String,
    ) as [string, string, string];
    ports = { PORT, CHAIN_PORT, OIDC_PORT };
  });
  afterEach(async () => {
    for (const { child, ended } of programs.splice(0)) {
      child.kill("SIGTERM");
      await ended;
    }
    await untilUnused(folder);
    rmSync(folder, { recursive: true });
  });

  function start(environment: Record<string, string> = {}) {
    const env: NodeJS.ProcessEnv = { ...process.env };
    for (const name of Object.keys(settings)) delete env[name];
    const program = runNode(["scripts/start.ts"], {
      env: { ...env, DATA_DIR: folder, ...ports, ...environment },
    });
    programs.push(program);
    return program;
  }

  async function refusal(environment: Record<string, string>) {
    const { code, stdout, stderr } = await start(environment).ended;
    expect(code).to.equal(1);
    expect(stderr).not.to.include("    at ");
    return { stdout, stderr };
  }

  describe("given nothing is in the way", () => {
    it("runs the service, and leaves no process, port or key when it is stopped", async () => {
      const program = start();
      await program.until("ready {");
      const line = /^ready (.*)$/m.exec(program.output())?.[1] ?? "";
      const ready = JSON.parse(line) as Record<string, unknown>;
      expect(ready).to.have.all.keys("url", "registry", "chainId", "rpcUrl");
      expect(ready).to.include({ url: `http://127.0.0.1:${ports.PORT}`, chainId: 31_337 });

      const published = JSON.parse(readFileSync(join(folder, "ready.json"), "utf8")) as Record<
        string,
        unknown
      >;
      expect(published).to.include(ready);
      expect(published).to.include({
        issuer: `http://127.0.0.1:${ports.OIDC_PORT}`,
        audience: "asset-registry",
      });
      expect(published["databaseUrl"]).to.match(/^postgres:\/\//);
      expect(published["accounts"]).to.have.lengthOf(9);
      for (const name of ["ready.json", "api-key", "postgres.password"]) {
        expect(statSync(join(folder, name)).mode & 0o777, name).to.equal(0o600);
      }
      const apiKey = readFileSync(join(folder, "api-key"), "utf8").trim();
      expect(apiKey)
        .to.equal(published["apiKey"])
        .and.to.match(/^\S{32,}$/);
      const unknown = `${ready["url"]}/assets/0x${"00".repeat(32)}/status`;
      const statusWith = async (key: string) =>
        (await fetch(unknown, { headers: { "X-API-KEY": key } })).status;
      expect(await statusWith(apiKey)).to.equal(404);
      expect(await statusWith(`${apiKey}x`)).to.equal(401);

      const settings = await fetch(`${ready["url"]}/console/settings.json`);
      const known = (await settings.json()) as { chain: object; identity: object };
      expect(known.chain).to.include({ name: "Local chain", rpcUrl: ready["rpcUrl"] });
      expect(known.identity).to.include({ issuer: published["issuer"], clientId: "asset-registry" });
      expect((await fetch(`${ready["url"]}/console/`)).status).to.equal(200);

      const second = await refusal({});
      expect(second.stderr).to.include(
        `Another \`npm start\` (process ${program.child.pid}) is using ${folder}`,
      );

      program.child.kill("SIGINT");
      expect((await program.ended).code).to.equal(0);
      for (const port of Object.values(ports)) expect(await isPortFree(Number(port)), port).to.equal(true);
      for (const name of ["ready.json", "api-key", "start.lock"]) {
        expect(existsSync(join(folder, name)), name).to.equal(false);
      }
    });

    it("stops all the same while it is still starting", async () => {
      const program = start();
      await program.until("identity provider ready");
      program.child.kill("SIGTERM");
      expect((await program.ended).code).to.equal(0);
      for (const port of Object.values(ports)) expect(await isPortFree(Number(port)), port).to.equal(true);
      await untilUnused(folder);
      await eventually(
        "no password in the temporary folder",
        async () => readdirSync(tmpdir()).filter((name) => name.startsWith("asset-registry-init-")),
        (left) => left.length === 0,
      );
    });

    it("leaves nothing behind when it is killed", async () => {
      const program = start();
      await program.until("database ready");
      program.child.kill("SIGKILL");
      await program.ended;
      await eventually(
        "the end of all parts",
        () => Promise.all(Object.values(ports).map((port) => isPortFree(Number(port)))),
        (free) => free.every(Boolean),
      );
      expect(isRunning(program.child.pid ?? 0)).to.equal(false);
    });
  });

  it("refuses words that it does not know, with its usage", async () => {
    const program = runNode(["scripts/start.ts", "--frob"]);
    programs.push(program);
    const { code, stdout, stderr } = await program.ended;
    expect({ code, stdout }).to.deep.equal({ code: 1, stdout: "" });
    expect(stderr).to.match(/^Usage: npm start\n/);
  });

  describe("given a port is taken", () => {
    let other: Server;
    beforeEach(() => {
      other = createServer().listen(Number(ports.CHAIN_PORT), "127.0.0.1");
    });
    afterEach(() => other.close());

    it("names the port and the variable that changes it, and starts nothing", async () => {
      const { stdout, stderr } = await refusal({});
      expect(stderr).to.equal(
        `Port ${ports.CHAIN_PORT}, which the local chain needs, is taken by another program. Set CHAIN_PORT to a free port.\n`,
      );
      expect(stdout).to.equal("");
      expect(existsSync(join(folder, "postgres"))).to.equal(false);
    });

    it("does not mind when it needs no local chain", async () => {
      const { stderr } = await refusal({
        RPC_URL: "http://127.0.0.1:1",
        REGISTRY_ADDRESS: `0x${"11".repeat(20)}`,
      });
      expect(stderr).to.include("The chain's node at 127.0.0.1:1 does not answer. Check RPC_URL.");
    });
  });

  it("refuses two parts on one port", async () => {
    const { stderr } = await refusal({ OIDC_PORT: ports.PORT });
    expect(stderr).to.include(`OIDC_PORT and PORT are both ${ports.PORT}`);
  });

  it("lists what production needs, and starts nothing for development", async () => {
    const { stderr } = await refusal({ NODE_ENV: "production" });
    for (const name of ["OIDC_ISSUER", "RPC_URL", "DATABASE_URL"])
      expect(stderr).to.include(`${name} is missing`);
  });

  it("asks for a registry or the key to deploy one on a chain that is not its own", async () => {
    const { stderr } = await refusal({ RPC_URL: "http://127.0.0.1:1" });
    expect(stderr).to.include("Set REGISTRY_ADDRESS to a registry on that chain, or DEPLOYER_KEY");
  });

  it("says when the database does not answer", async () => {
    const { stderr } = await refusal({ DATABASE_URL: "postgres://a:b@127.0.0.1:1/c" });
    expect(stderr).to.include("The database cannot be used").and.to.include("127.0.0.1:1");
  });

  it("takes over from one that was killed", async () => {
    writeFileSync(join(folder, "start.lock"), JSON.stringify([{ pid: 2_147_483_646, born: "some time" }]));
    const { stderr } = await refusal({
      RPC_URL: "http://127.0.0.1:1",
      REGISTRY_ADDRESS: `0x${"11".repeat(20)}`,
    });
    expect(stderr).not.to.include("Another");
  });
});
