import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import { createPublicClient, http } from "viem";
import { settings } from "../../../config.ts";
import { verifyDocument } from "../../../proof/src/proof.ts";
import { freePort } from "../../../scripts/local/ports.ts";
import { createEmptyDatabase, type TestDatabase } from "../../support/database/postgres.ts";
import { eventually } from "../../support/eventually.ts";
import { type Program, root, runNode } from "../../support/program.ts";

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

  it("proves that file, its author and the revoked link to whoever has no key, by a chain of Hardhat", async () => {
    const { url, rpcUrl } = ready();
    const read = async (path: string) => {
      const { value } = (await (await fetch(`${url}/public/assets/${path}`)).json()) as { value: unknown };
      return value;
    };
    const digest = createHash("sha256").update("a lease").digest("hex");
    const [asset] = (await read(`?hash=${digest}`)) as { id: string }[];
    const links = await eventually(
      "the revocation final",
      async () => ((await read(`${asset?.id}/links`)) as { to: { id: string; final: boolean }[] }).to,
      ([link]) => link?.final === true,
      60,
    );
    const children = links.map(({ id }) => id);
    const proof = (await read(`${asset?.id}/proof?links=${children}`)) as { block: { number: number } };
    const node = createPublicClient({ transport: http(rpcUrl) });
    const { hash } = await node.getBlock({ blockNumber: BigInt(proof.block.number) });
    const result = verifyDocument(JSON.stringify(proof), {
      ...{ fileHash: { method: "SHA-256", digest }, children },
      block: { hash, source: "the chain" },
    });
    expect(result.verdict, result.words).to.equal("valid");
    expect(result.asset?.id).to.equal(asset?.id);
    expect(result.links?.map(({ state }) => state)).to.deep.equal(["revoked"]);
  });

  it("carries README's first session from the request to Confirmed", async () => {
    const readme = readFileSync(join(root, "README.md"), "utf8");
    const session = /## A first session[\s\S]*?```sh\n([\s\S]*?)```/.exec(readme)?.[1] ?? "";
    const here = session
      .replace("http://127.0.0.1:3000", ready()["url"] ?? "")
      .replace(".data/api-key", join(folder, "api-key"));
    expect(here).to.include("npm run --silent sign").and.not.equal(session);
    const { stdout } = await promisify(execFile)("bash", ["-euo", "pipefail", "-c", here], {
      cwd: root,
      // A second terminal knows nothing of the ports.
      env: { ...environment, PORT: undefined, CHAIN_PORT: undefined, OIDC_PORT: undefined },
    });
    expect(stdout).to.match(/^.* registers the asset .*"Lease agreement"/);
    expect(stdout).to.include("event: request.Received").and.include("event: request.Committed");
    // A slow machine may be a block behind after the session's pause.
    expect(stdout).to.match(/^(Committed|Confirmed)$/m);
    expect(stdout)
      .to.include('"name":"Lease agreement"')
      .and.match(/\{"value":\[\],.*\}$/);
  });

  it("shows its events by the commands of docs/events.md", async () => {
    const page = readFileSync(join(root, "docs", "events.md"), "utf8");
    const commands = /## Try it[\s\S]*?```sh\n([\s\S]*?)```/.exec(page)?.[1] ?? "";
    const here = commands
      .replace("http://127.0.0.1:3000", ready()["url"] ?? "")
      .replace(".data/api-key", join(folder, "api-key"))
      // A reader ends them by Ctrl-C.
      .replaceAll(/^(curl) -N (.*)$/gm, "$1 -sNm 1 $2 || true")
      .replaceAll(/^curl "/gm, 'curl -s "');
    expect(here).to.include("|| true").and.include("curl -s ");
    const { stdout } = await promisify(execFile)("bash", ["-euo", "pipefail", "-c", here], {
      env: environment,
    });
    expect(stdout.match(/^event: ready$/gm)).to.have.lengthOf(2);
    expect(stdout).to.match(/^id: 18$/m);
    expect(stdout).to.include('"sequence":1,').and.include('"kind":"asset.registered"');
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
