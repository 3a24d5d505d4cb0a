import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import { program } from "../../../../scripts/checks/run-check.ts";
import { owner } from "../../../support/accounts.ts";
import { keys } from "../../../support/api.ts";
import { refusal, startBadWay } from "../../../support/bad-way.ts";
import { type Service, startService } from "../../../support/service.ts";

const run = promisify(execFile);
const root = join(import.meta.dirname, "..", "..", "..", "..");
const npm = process.platform === "win32" ? "npm.cmd" : "npm";

/** A program as a customer writes it; what it expects the compiler to refuse must be refused. */
const customer = `
import { type Asset, createClient, RegistryError } from "asset-registry/client";
declare const process: { argv: string[] };
const [url = "", apiKey = "", author = ""] = process.argv.slice(2);
const client = createClient({ url, apiKey });
const asset: Asset = await client.createAsset({ name: "Lease", author });
// @ts-expect-error: an asset has no such field
asset.nothing;
// @ts-expect-error: an asset has an author
const refused = await client.createAsset({ name: "Lease" }).catch((error: unknown) => error);
const code = refused instanceof RegistryError ? refused.code : "none";
const again = await client.createAsset({ name: "Lease", author }, { idempotencyKey: "lease" });
const same = await client.createAsset({ name: "Lease", author }, { idempotencyKey: "lease" });
console.log(JSON.stringify({ id: asset.id, state: asset.state, code, once: again.id === same.id }));
`;

describe("the packed client", () => {
  let folder: string;
  let service: Service;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "asset-registry-customer-"));
    await run(npm, ["pack", "--silent", "--pack-destination", folder], { cwd: root });
    const [tarball = ""] = await readdir(folder);
    const project = { name: "customer", private: true, type: "module" };
    await mkdir(join(folder, "project"));
    await put("package.json", JSON.stringify(project));
    const flags = ["--ignore-scripts", "--omit=dev", "--omit=optional", "--prefer-offline", "--no-audit"];
    await run(npm, ["install", ...flags, join(folder, tarball)], { cwd: join(folder, "project") });
    service = await startService();
  });
  after(async () => {
    await service?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const put = (file: string, text: string) => writeFile(join(folder, "project", file), text);

  it("is checked, compiled and run in a project of its own, and makes nothing twice on a bad way to the service", async () => {
    const options = [
      "--strict",
      "--module",
      "nodenext",
      "--target",
      "es2024",
      "--lib",
      "es2024,dom,dom.iterable",
    ];
    const tsc = [program("typescript", "tsc"), ...options, "--types", "", "--skipLibCheck", "main.ts"];
    await put("main.ts", customer);
    await run(process.execPath, tsc, { cwd: join(folder, "project") });
    const way = await startBadWay(service.url, [
      "answer lost",
      refusal(503, "DATABASE_UNAVAILABLE", "0"),
      refusal(429, "RATE_LIMITED", "1"),
    ]);
    const args = ["main.js", way.url, keys["tenant-a"], owner.address];
    const { stdout } = await run(process.execPath, args, { cwd: join(folder, "project") }).finally(way.stop);
    const printed = JSON.parse(stdout);
    expect(printed).to.include({ state: "Received", code: "INVALID_REQUEST" });
    expect((await service.get(`/assets/${printed.id}`)).status).to.equal(200);
    // Four tries for the first asset, which was made by the first of them.
    const [first, ...tries] = way.passed.slice(0, 4).map(({ key }) => key);
    expect(tries).to.deep.equal([first, first, first]);
    const { rows } = await service.pool.query<{ count: number }>("select count(*) from service.requests");
    expect({ assets: rows[0]?.count, once: printed.once }).to.deep.equal({ assets: 2, once: true });
  });

  it("loads nothing but its own files, so that it runs in a browser", async () => {
    const client = join(folder, "project", "node_modules", "asset-registry", "dist", "api", "client");
    const scripts = (await readdir(client)).filter((name) => name.endsWith(".js"));
    expect(scripts).to.include("client.js");
    for (const name of scripts) {
      const text = await readFile(join(client, name), "utf8");
      for (const [, target] of text.matchAll(/(?:from|import)\s*\(?"([^"]+)"/g))
        expect(target).to.match(/^\.\/\w+\.js$/);
      expect(text).to.not.match(/\b(process|Buffer|require)\b/);
    }
  });
});
