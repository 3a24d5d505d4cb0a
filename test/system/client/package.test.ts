import { type ExecFileOptions, execFile, spawn } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { expect } from "chai";
import { program } from "../../../scripts/checks/run-check.ts";
import { keys } from "../../support/api.ts";
import { refusal, startBadWay } from "../../support/bad-way.ts";
import { owner } from "../../support/chain/accounts.ts";
import { root } from "../../support/program.ts";
import { type Service, startService } from "../../support/service.ts";

const execute = promisify(execFile);
const npm = process.platform === "win32" ? "npm.cmd" : "npm";

/** A program as a customer writes it; what it expects the compiler to refuse must be refused. */
const customer = `
import { type Asset, createClient, RegistryError } from "asset-registry-client";
declare const process: { argv: string[]; version: string };
const [url = "", apiKey = "", author = ""] = process.argv.slice(2);
const client = createClient({ url, apiKey });
const asset: Asset = await client.createAsset({ name: "Lease", author });
// @ts-expect-error: an asset has no such field
asset.nothing;
// @ts-expect-error: an asset has an author
const refused = await client.createAsset({ name: "Lease" }).catch((error: unknown) => error);
const code = refused instanceof RegistryError ? refused.code : "none";
const again = await client.createAsset({ name: "Lease", author }, { idempotencyKey: asset.id });
const same = await client.createAsset({ name: "Lease", author }, { idempotencyKey: asset.id });
const { state } = await client.waitForState(asset.transactionId, "Received");
const once = again.id === same.id;
console.log(JSON.stringify({ id: asset.id, state, code, once, node: process.version }));
`;

/** Follows events until one comes, and is held by nothing then. */
const follower = `
import { createClient, type RequestEvent } from "asset-registry-client";
declare const process: { argv: string[] };
const [url = "", apiKey = ""] = process.argv.slice(2);
const client = createClient({ url, apiKey });
for await (const event of client.events({ onConnection: ({ state }) => console.log(state) })) {
  if (event.kind !== "request.Received") continue;
  const { data }: RequestEvent = event;
  console.log(event.kind, data.state, data.id === event.transactionId);
  break;
}
`;

const strict = [
  "--strict",
  "--exactOptionalPropertyTypes",
  "--noUncheckedIndexedAccess",
  "--target",
  "es2022",
];
const inBrowser = ["--lib", "es2022,dom,dom.iterable", "--types", ""];
const onNode = ["--lib", "es2022", "--types", "node", "--typeRoots", join(root, "node_modules", "@types")];

describe("the packed client", () => {
  let folder: string;
  let tarball: string;
  let service: Service;
  const project = (...names: string[]) => join(folder, "project", ...names);
  const installed = (...names: string[]) => project("node_modules", "asset-registry-client", ...names);
  const run = (file: string, args: string[], options: ExecFileOptions = {}) =>
    execute(file, args, { cwd: project(), encoding: "utf8", ...options });
  const compile = (file: string, options: string[]) =>
    run(process.execPath, [program("typescript", "tsc"), ...strict, ...options, file]);

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "asset-registry-customer-"));
    await execute(npm, ["pack", "-w", "client", "--silent", "--pack-destination", folder], { cwd: root });
    const packed = await readdir(folder);
    expect(packed).to.have.length(1);
    tarball = join(folder, packed[0] ?? "");
    await mkdir(project());
    await writeFile(
      project("package.json"),
      JSON.stringify({ name: "customer", private: true, type: "module" }),
    );
    // Neither a registry nor a cache has anything for it.
    await run(npm, ["install", "--offline", "--cache", join(folder, "cache"), "--no-audit", tarball]);
    await writeFile(project("main.ts"), customer);
    await writeFile(project("follower.ts"), follower);
    await compile("main.ts", ["--module", "nodenext", ...inBrowser]);
    await compile("follower.ts", ["--module", "nodenext", ...inBrowser]);
    service = await startService();
  });
  after(async () => {
    await service?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it("is one package of its own files, and small", async () => {
    const modules = await readdir(project("node_modules"));
    expect(modules.filter((name) => !name.startsWith("."))).to.deep.equal(["asset-registry-client"]);
    const top = await readdir(installed());
    expect(top).to.have.members(["LICENSE", "README.md", "dist", "package.json"]);
    expect((await stat(tarball)).size).to.be.below(40_000);
  });

  it("is typed for browsers and for Node.js, by each way of resolving modules", async () => {
    await compile("main.ts", [
      "--noEmit",
      "--module",
      "esnext",
      "--moduleResolution",
      "bundler",
      ...inBrowser,
    ]);
    await writeFile(project("node.ts"), customer.replace(/^declare.*$/m, ""));
    await compile("node.ts", ["--noEmit", "--module", "nodenext", ...onNode]);
  });

  it("loads nothing but its own files, so that it runs in a browser", async () => {
    const files = await readdir(installed("dist"), { recursive: true });
    const scripts = files.filter((name) => name.endsWith(".js"));
    expect(scripts).to.include("client.js");
    for (const name of scripts) {
      const text = await readFile(installed("dist", name), "utf8");
      for (const [, target] of text.matchAll(/(?:from|import)\s*\(?"([^"]+)"/g))
        expect(target).to.match(/^\.{1,2}\/((events|webhooks)\/)?[\w-]+\.js$/);
      expect(text).to.not.match(/\b(process|Buffer|require)\b/);
    }
  });

  /** The program of the oldest version that the package's `engines` claims, as npm has it. */
  async function oldestNode(): Promise<string> {
    const { engines } = JSON.parse(await readFile(installed("package.json"), "utf8"));
    const major = /^>=(\d+)$/.exec(engines.node)?.[1];
    const flags = ["--yes", "--ignore-scripts=false", "--loglevel=error", `--package=node@${major}.0.0`];
    const { stdout } = await run(npm, ["exec", ...flags, "--call", "node -p process.execPath"]);
    return String(stdout).trim();
  }

  for (const [name, version, findNode] of [
    ["this Node.js", process.version, async () => process.execPath],
    ["the oldest Node.js that it claims", "v18.0.0", oldestNode],
  ] as const) {
    it(`runs on ${name}, and makes nothing twice on a bad way to the service`, async () => {
      const node = await findNode();
      const way = await startBadWay(service.url, [
        "answer lost",
        refusal(503, "DATABASE_UNAVAILABLE", "0"),
        refusal(429, "RATE_LIMITED", "1"),
      ]);
      const requests = async () =>
        Number((await service.pool.query("select count(*) as n from service.requests")).rows[0]?.n);
      const before = await requests();
      const args = ["--no-warnings", "main.js", way.url, keys["tenant-a"], owner.address];
      const { stdout } = await run(node, args).finally(way.stop);
      const printed = JSON.parse(String(stdout));
      expect(printed).to.include({
        state: "Received",
        code: "INVALID_REQUEST",
        once: true,
        node: version,
      });
      expect((await service.get(`/assets/${printed.id}`)).status).to.equal(200);
      // Four attempts for the first asset, which was made by the first of them.
      const [first, ...retries] = way.passed.slice(0, 4).map(({ key }) => key);
      expect(retries).to.deep.equal([first, first, first]);
      expect((await requests()) - before).to.equal(2);
    });

    it(`follows events by the stream on ${name}, and ends with the loop`, async () => {
      const args = ["--no-warnings", "follower.js", service.url, keys["tenant-a"]];
      const child = spawn(await findNode(), args, { cwd: project(), stdio: ["ignore", "pipe", "inherit"] });
      const ended = new Promise((resolve) => child.on("exit", resolve));
      const printed: string[] = [];
      try {
        for await (const line of createInterface({ input: child.stdout })) {
          printed.push(line);
          if (line === "live") await service.post("/assets/", { name: "Lease", author: owner.address });
        }
        expect(await ended).to.equal(0);
      } finally {
        child.kill();
      }
      expect(printed).to.deep.equal(["live", "request.Received Received true"]);
    });
  }

  it("does what its README shows", async () => {
    const readme = await readFile(installed("README.md"), "utf8");
    const [, example = ""] = /```ts\n([\s\S]*?)```/.exec(readme) ?? [];
    await writeFile(project("example.ts"), example);
    await compile("example.ts", ["--module", "nodenext", ...onNode]);
    const others = Array.from(readme.matchAll(/```ts\n([\s\S]*?)```/g), ([, text = ""]) => text).slice(1);
    expect(others).to.not.be.empty;
    for (const [nth, other] of others.entries()) {
      await writeFile(project(`other-${nth}.ts`), other);
      await compile(`other-${nth}.ts`, ["--noEmit", "--module", "nodenext", ...onNode]);
    }
    const child = spawn(process.execPath, ["example.js"], {
      cwd: project(),
      env: { REGISTRY_URL: service.url, API_KEY: keys["tenant-a"], AUTHOR: owner.address },
      stdio: ["ignore", "pipe", "inherit"],
    });
    const printed: string[] = [];
    try {
      for await (const line of createInterface({ input: child.stdout })) {
        const [, id] = /^Send the author this link to sign: \S+\/console\/sign\/(\S+)$/.exec(line) ?? [];
        if (id === undefined) printed.push(line);
        else {
          await service.carryOut(id);
          await service.rig.mine(20);
        }
      }
    } finally {
      child.kill();
    }
    expect(printed.filter((line) => / Confirmed$/.test(line))).to.have.length(1);
  });
});
