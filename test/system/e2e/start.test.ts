import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { settings } from "../../../config.ts";
import { freePort } from "../../../scripts/local/ports.ts";
import { createEmptyDatabase, type TestDatabase } from "../../support/postgres.ts";
import { type Program, runNode } from "../../support/program.ts";

describe("npm start on a database that exists", () => {
  let folder: string;
  let database: TestDatabase;
  let service: Program;
  let environment: NodeJS.ProcessEnv;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "start-"));
    chmodSync(folder, 0o755);
    database = await createEmptyDatabase();
    const [PORT, CHAIN_PORT, OIDC_PORT] = await Promise.all([freePort(), freePort(), freePort()]);
    environment = { ...process.env };
    for (const name of Object.keys(settings)) delete environment[name];
    Object.assign(environment, { DATA_DIR: folder, DATABASE_URL: database.url, PORT, CHAIN_PORT, OIDC_PORT });
    service = runNode(["scripts/start.ts"], { env: environment });
    await service.until("ready {");
  });
  after(async () => {
    service.child.kill("SIGTERM");
    await service.ended;
    await database.drop();
    rmSync(folder, { recursive: true });
  });

  const ready = () =>
    JSON.parse(/^ready (.*)$/m.exec(service.output())?.[1] ?? "{}") as Record<string, string>;

  it("walks a file through, from its creation to a link that is revoked", async () => {
    const file = join(folder, "lease.pdf");
    writeFileSync(file, "a lease");
    const { code, stdout, stderr } = await runNode(["scripts/demo.ts", file], { env: environment }).ended;
    expect({ code, stderr }).to.deep.equal({ code: 0, stderr: "" });
    expect(stdout.trimEnd().split("\n").at(-1)).to.match(/^\d+ {2}done/);
    const answer = await fetch(`${ready()["url"]}/ready`);
    expect(answer.status, await answer.text()).to.equal(200);
  });

  it("is found equal to the chain by index:verify, and is so after reindex", async () => {
    const env = { ...environment, RPC_URL: ready()["rpcUrl"], REGISTRY_ADDRESS: ready()["registry"] };
    for (const script of ["scripts/verify.ts", "scripts/reindex.ts", "scripts/verify.ts"]) {
      const { code, stdout, stderr } = await runNode([script], { env }).ended;
      expect(code, `${script}\n${stdout}\n${stderr}`).to.equal(0);
    }
  });

  it("ends with 0 when it is asked to", async () => {
    service.child.kill("SIGTERM");
    expect((await service.ended).code, service.output()).to.equal(0);
  });
});
