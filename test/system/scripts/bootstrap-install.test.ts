import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";

import { isRunning, root, runNode, untilGone } from "../../support/program.ts";

const packages = { "": { name: "clone" }, "node_modules/one": { version: "1.0.0" } };

/** An npm whose `ci` takes as long as the file "slow" is there, and finds node_modules half removed if told so. */
const npm = `
  const fs = require("node:fs");
  fs.appendFileSync("npm.log", process.argv[2] + "\\n");
  if (fs.existsSync("node_modules/half-removed")) {
    console.error("npm error code ENOTEMPTY");
    process.exit(1);
  }
  fs.appendFileSync("npm.pid", process.pid + "\\n");
  const wait = () => {
    if (fs.existsSync("slow")) return setTimeout(wait, 20);
    fs.mkdirSync("node_modules", { recursive: true });
    fs.writeFileSync("node_modules/.package-lock.json", fs.readFileSync("package-lock.json"));
  };
  wait();
`;

/** Every write into the folder is refused, as to a user who may only read it. */
const readOnly = `
  const fs = require("node:fs");
  for (const name of ["mkdirSync", "writeFileSync"]) {
    const inner = fs[name];
    fs[name] = (path, ...rest) => {
      if (!String(path).startsWith(process.env.READ_ONLY)) return inner(path, ...rest);
      throw Object.assign(new Error("EACCES: permission denied, " + path), { code: "EACCES", path });
    };
  }
  require("node:module").syncBuiltinESMExports();
`;

describe("scripts/bootstrap.mjs installing packages", () => {
  let clone: string;
  const path = (...names: string[]) => join(clone, ...names);
  const npmCalls = () => readFileSync(path("npm.log"), "utf8").trim().split("\n");
  const npmPid = () => Number(readFileSync(path("npm.pid"), "utf8").trim().split("\n").at(-1));

  beforeEach(() => {
    clone = mkdtempSync(join(tmpdir(), "bootstrap-install-"));
    cpSync(join(root, "scripts", "bootstrap.mjs"), path("scripts", "bootstrap.mjs"));
    cpSync(join(root, "scripts", "bootstrap"), path("scripts", "bootstrap"), { recursive: true });
    writeFileSync(path("package.json"), JSON.stringify({ name: "clone", type: "module" }));
    writeFileSync(path("package-lock.json"), JSON.stringify({ packages }));
    writeFileSync(path("scripts", "hello.ts"), 'console.log("hello");');
    mkdirSync(path("npm"));
    writeFileSync(path("npm", "package.json"), JSON.stringify({ type: "commonjs" }));
    writeFileSync(path("npm", "npm-cli.js"), npm);
    writeFileSync(path("read-only.cjs"), readOnly);
  });
  afterEach(() => rmSync(clone, { recursive: true, force: true }));

  function bootstrap(flags: string[] = []) {
    const { npm_lifecycle_event: _, NODE_COMPILE_CACHE: __, ...inherited } = process.env;
    const env = { ...inherited, npm_execpath: path("npm", "npm-cli.js"), READ_ONLY: clone };
    return runNode([...flags, path("scripts", "bootstrap.mjs"), "scripts/hello.ts"], { env, cwd: clone });
  }

  async function untilNpmRuns(): Promise<void> {
    const deadline = Date.now() + 30_000;
    for (;;) {
      try {
        if (npmPid() > 0) return;
      } catch {
        if (Date.now() > deadline) throw new Error("npm was not started");
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  it("ends npm when it is told to end, and leaves no lock", async () => {
    writeFileSync(path("slow"), "");
    const first = bootstrap();
    await untilNpmRuns();
    const pid = npmPid();
    first.child.kill("SIGTERM");
    expect((await first.ended).code).to.equal(143);
    await untilGone(pid);
    rmSync(path("slow"));
    const { code, stdout, stderr } = await bootstrap().ended;
    expect({ code, stdout }).to.deep.equal({ code: 0, stdout: "hello\n" });
    expect(stderr).not.to.include("Waiting");
  });

  it("waits for an npm that was left behind by a kill -9 before it begins", async () => {
    writeFileSync(path("slow"), "");
    const first = bootstrap();
    await untilNpmRuns();
    const pid = npmPid();
    first.child.kill("SIGKILL");
    await first.ended;
    const second = bootstrap();
    await second.until("Waiting for another npm script to install the packages");
    expect(isRunning(pid)).to.equal(true);
    expect(npmCalls()).to.deep.equal(["ci"]);
    rmSync(path("slow"));
    expect(await second.ended).to.include({ code: 0, stdout: "hello\n" });
    expect(npmCalls()).to.deep.equal(["ci"]);
  });

  it("begins with an empty folder where an earlier installation left node_modules half removed", async () => {
    mkdirSync(path("node_modules"));
    writeFileSync(path("node_modules", "half-removed"), "");
    const { code, stdout } = await bootstrap().ended;
    expect({ code, stdout }).to.deep.equal({ code: 0, stdout: "hello\n" });
    expect(npmCalls()).to.deep.equal(["ci", "ci"]);
  });

  describe("by a user who may only read the folder", () => {
    const asReader = () => bootstrap(["--require", path("read-only.cjs")]);

    it("says who must install them, without a stack", async () => {
      const { code, stdout, stderr } = await asReader().ended;
      expect({ code, stdout }).to.deep.equal({ code: 1, stdout: "" });
      expect(stderr).to.include("this user may not write").and.to.include("npm ci");
      expect(stderr).not.to.include("    at ");
    });

    it("runs the script where they are installed", async () => {
      mkdirSync(path("node_modules"));
      writeFileSync(path("node_modules", ".package-lock.json"), JSON.stringify({ packages }));
      expect(await asReader().ended).to.include({ code: 0, stdout: "hello\n", stderr: "" });
    });
  });
});
