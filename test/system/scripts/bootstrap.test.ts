import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect } from "chai";

import { isRunning, root, runNode, untilGone } from "../../support/program.ts";

const echo = `
  const print = (text: string) => console.log(text);
  print("arguments " + JSON.stringify(process.argv.slice(2)));
`;
const platformPackage = "node_modules/native-part";
const foreignPackage = "node_modules/other-native-part";
const foreignOnly = "node_modules/runtime-of-other-part";
const packages = {
  "": { name: "clone", workspaces: ["part"] },
  part: { name: "the-part", version: "1.0.0" },
  "node_modules/the-part": { resolved: "part", link: true },
  "node_modules/one": {
    version: "1.0.0",
    optionalDependencies: { "native-part": "3.0.0", "other-native-part": "3.0.0" },
  },
  "node_modules/tool": { version: "2.0.0", dev: true },
  "part/node_modules/own": { version: "4.0.0" },
  [platformPackage]: { version: "3.0.0", optional: true, os: [process.platform], cpu: [process.arch] },
  [foreignPackage]: {
    version: "3.0.0",
    optional: true,
    os: ["an-os"],
    cpu: ["a-cpu"],
    dependencies: { "runtime-of-other-part": "5.0.0" },
  },
  [foreignOnly]: { version: "5.0.0", optional: true },
};

/** An npm that notes what it is asked for; `npm ci` "installs" what the lock file names. */
const npm = `
  const fs = require("node:fs");
  const args = process.argv.slice(2);
  fs.appendFileSync(process.env.NPM_LOG, args.join(" ") + "\\n");
  if (process.env.NPM_FAILS) {
    console.error("npm error code ENOTFOUND");
    process.exit(1);
  }
  if (args[0] === "exec") {
    console.log(process.env.NODE_24);
  } else {
    const { packages } = JSON.parse(fs.readFileSync("package-lock.json", "utf8"));
    delete packages[""];
    delete packages["${foreignPackage}"];
    delete packages["${foreignOnly}"];
    fs.rmSync("node_modules", { recursive: true, force: true });
    fs.mkdirSync("node_modules");
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 150);
    fs.writeFileSync("node_modules/.package-lock.json", JSON.stringify({ packages }));
  }
`;

describe("scripts/bootstrap.mjs", () => {
  let clone: string;
  const path = (...names: string[]) => join(clone, ...names);
  const npmCalls = () => readFileSync(path("npm.log"), "utf8").split("\n").filter(Boolean);
  const writeJson = (name: string, value: unknown) => writeFileSync(path(name), JSON.stringify(value));

  beforeEach(() => {
    clone = mkdtempSync(join(tmpdir(), "bootstrap-"));
    cpSync(join(root, "scripts", "bootstrap.mjs"), path("scripts", "bootstrap.mjs"));
    cpSync(join(root, "scripts", "bootstrap"), path("scripts", "bootstrap"), { recursive: true });
    writeJson("package.json", { name: "clone", type: "module" });
    writeJson("package-lock.json", { packages });
    writeFileSync(path("scripts", "echo.ts"), echo);
    mkdirSync(path("npm"));
    writeJson(join("npm", "package.json"), { type: "commonjs" });
    writeFileSync(path("npm", "npm-cli.js"), npm);
    writeFileSync(path("npm.log"), "");
    // Answers the question for its version as Node 24 does, whatever runs these tests.
    writeFileSync(
      path("node24"),
      `#!/bin/sh\n[ "$1" = -p ] && echo v24.1.0 && exit\nexec "${process.execPath}" "$@"\n`,
    );
    chmodSync(path("node24"), 0o755);
    writeFileSync(path("old.cjs"), 'Object.defineProperty(process, "version", { value: "v20.20.2" });');
  });

  afterEach(() => rmSync(clone, { recursive: true, force: true }));

  function bootstrap(args: string[], { environment = {}, flags = [] as string[] } = {}) {
    const { npm_lifecycle_event: _, NODE_COMPILE_CACHE: __, ...inherited } = process.env;
    const env = {
      ...inherited,
      npm_execpath: path("npm", "npm-cli.js"),
      NPM_LOG: path("npm.log"),
      NODE_24: path("node24"),
      ...environment,
    };
    return runNode([...flags, path("scripts", "bootstrap.mjs"), ...args], { env, cwd: clone });
  }

  function installByHand(installed: Record<string, unknown>) {
    mkdirSync(path("node_modules"), { recursive: true });
    writeJson(join("node_modules", ".package-lock.json"), { packages: installed });
  }

  describe("the file .env", () => {
    const setting = 'console.log(process.env["SETTING"] ?? "none", process.env["OTHER"] ?? "none");';
    beforeEach(() => {
      writeFileSync(path(".env"), "SETTING=from the file\nOTHER=from the file\n");
      for (const name of ["show.ts", "test.ts", "check.ts"]) writeFileSync(path("scripts", name), setting);
    });

    it("is read, and the environment wins", async () => {
      const { stdout } = await bootstrap(["scripts/show.ts"], { environment: { OTHER: "mine" } }).ended;
      expect(stdout).to.equal("from the file mine\n");
    });

    it("is read by no test and no benchmark, which make their own settings", async () => {
      const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
        scripts: Record<string, string>;
      };
      const isolated = Object.entries(scripts)
        .filter(([name]) => /^(test|bench|coverage|mutation|fuzz|check|torture|simulate)\b/.test(name))
        .map(([, command]) => command.split(" ").at(-1) ?? "");
      expect(isolated.length).to.be.above(13);
      for (const script of isolated) {
        mkdirSync(dirname(path(script)), { recursive: true });
        writeFileSync(path(script), setting);
        expect((await bootstrap([script]).ended).stdout, script).to.equal("none none\n");
      }
    });

    it("is read with a byte order mark, in UTF-16 too, and a line that means nothing is named", async () => {
      writeFileSync(path(".env"), Buffer.from("\ufeffSETTING=first\r\nOTHER=second\r\n", "utf16le"));
      expect((await bootstrap(["scripts/show.ts"]).ended).stdout).to.equal("first second\n");
      writeFileSync(path(".env"), "SETTING=first\nOTHER: secret\n");
      const { code, stdout, stderr } = await bootstrap(["scripts/show.ts"]).ended;
      expect({ code, stdout }).to.deep.equal({ code: 1, stdout: "" });
      expect(stderr).to.contain(".env, line 2").and.not.contain("secret").and.not.contain("    at ");
    });

    for (const script of ["scripts/test.ts", "scripts/check.ts"]) {
      it(`is nothing to ${script}`, async () => {
        expect((await bootstrap([script]).ended).stdout).to.equal("none none\n");
      });
    }
  });

  describe("the packages", () => {
    it("are installed when there are none, and then no more", async () => {
      const first = await bootstrap(["scripts/echo.ts", "a", "b c"]).ended;
      expect(first.stdout).to.equal('arguments ["a","b c"]\n');
      expect(first.stderr).to.match(
        /^Installing packages \(npm ci\) …\nInstalling packages: done in \d+ s\n$/,
      );
      const second = await bootstrap(["scripts/echo.ts"]).ended;
      expect(second.stderr).to.equal("");
      expect(npmCalls()).to.have.lengthOf(1);
      expect(npmCalls()[0]).to.match(/^ci .*--include=optional --include=dev$/);
    });

    it("are installed again when the lock file has changed", async () => {
      await bootstrap(["scripts/echo.ts"]).ended;
      writeJson("package-lock.json", { packages: { ...packages, "node_modules/one": { version: "1.0.1" } } });
      await bootstrap(["scripts/echo.ts"]).ended;
      expect(npmCalls()).to.have.lengthOf(2);
    });

    it("are installed once when two scripts start together", async () => {
      const both = await Promise.all([
        bootstrap(["scripts/echo.ts"]).ended,
        bootstrap(["scripts/echo.ts"]).ended,
      ]);
      expect(both.map(({ code }) => code)).to.deep.equal([0, 0]);
      expect(npmCalls()).to.have.lengthOf(1);
    });

    it("are installed in spite of a lock whose holder was killed", async () => {
      mkdirSync(path(".data"));
      writeFileSync(
        path(".data", "install.lock"),
        JSON.stringify([{ pid: 2_147_483_646, born: "some time" }]),
      );
      expect((await bootstrap(["scripts/echo.ts"]).ended).code).to.equal(0);
    });

    it("may have been installed by hand", async () => {
      const { "": _, [foreignPackage]: __, [foreignOnly]: ___, ...installed } = packages;
      installByHand(installed);
      expect((await bootstrap(["scripts/echo.ts"]).ended).code).to.equal(0);
      expect(npmCalls()).to.deep.equal([]);
    });

    it("need no link and no package of a workspace for what runs in production", async () => {
      const {
        "": _,
        [foreignPackage]: __,
        part: ___,
        "node_modules/the-part": ____,
        "part/node_modules/own": _____,
        ...installed
      } = packages;
      installByHand(installed);
      mkdirSync(path("api"));
      writeFileSync(path("api", "main.ts"), echo);
      expect((await bootstrap(["api/main.ts"]).ended).code).to.equal(0);
      expect(npmCalls()).to.deep.equal([]);
      await bootstrap(["scripts/echo.ts"]).ended;
      expect(npmCalls()).to.have.lengthOf(1);
    });

    it("are installed when npm left out the part for this platform", async () => {
      const { "": _, [foreignPackage]: __, [platformPackage]: ___, ...installed } = packages;
      installByHand(installed);
      await bootstrap(["scripts/echo.ts"]).ended;
      expect(npmCalls()).to.have.lengthOf(1);
    });

    it("need no development packages for what runs in production", async () => {
      const { "": _, [foreignPackage]: __, "node_modules/tool": ___, ...installed } = packages;
      installByHand(installed);
      mkdirSync(path("api"));
      writeFileSync(path("api", "main.ts"), echo);
      expect((await bootstrap(["api/main.ts"]).ended).code).to.equal(0);
      expect(npmCalls()).to.deep.equal([]);
      await bootstrap(["scripts/echo.ts"]).ended;
      expect(npmCalls()).to.have.lengthOf(1);
    });

    it("that cannot be installed end it with npm's words", async () => {
      const { code, stdout, stderr } = await bootstrap(["scripts/echo.ts"], {
        environment: { NPM_FAILS: "1" },
      }).ended;
      expect(code).to.equal(1);
      expect(stdout).to.equal("");
      expect(stderr).to.include("npm error code ENOTFOUND").and.to.include("run the same command again");
      expect(stderr).not.to.include("    at ");
    });
  });

  describe("an old Node", () => {
    const old = () => ({ flags: ["--require", path("old.cjs")] });

    it("is replaced by Node 24 from npm, asked for once", async () => {
      const first = await bootstrap(["scripts/echo.ts", "x"], old()).ended;
      expect(first.stdout).to.equal('arguments ["x"]\n');
      expect(first.stderr).to.include("Node v20.20.2 is too old");
      await bootstrap(["scripts/echo.ts"], old()).ended;
      const asked = npmCalls().filter((call) => call.startsWith("exec"));
      expect(asked).to.deep.equal([
        "exec --yes --ignore-scripts=false --loglevel=error --package=node@24 --call node -p process.execPath",
      ]);
    });

    it("is replaced anew when the one found last time is gone", async () => {
      await bootstrap(["scripts/echo.ts"], old()).ended;
      cpSync(path("node24"), path("moved"));
      rmSync(path("node24"));
      const { code } = await bootstrap(["scripts/echo.ts"], {
        ...old(),
        environment: { NODE_24: path("moved") },
      }).ended;
      expect(code).to.equal(0);
    });

    it("ends it in plain words when npm cannot help", async () => {
      const { code, stderr } = await bootstrap(["scripts/echo.ts"], {
        ...old(),
        environment: { NPM_FAILS: "1" },
      }).ended;
      expect(code).to.equal(1);
      expect(stderr).to.include("npm error code ENOTFOUND").and.to.include("Install Node 24");
      expect(stderr).not.to.include("    at ");
    });
  });

  describe("the script", () => {
    const withScript = (source: string) => writeFileSync(path("scripts", "script.ts"), source);

    it("has to be named", async () => {
      const { code, stderr } = await bootstrap([]).ended;
      expect({ code, stderr }).to.deep.equal({
        code: 1,
        stderr: "Usage: node scripts/bootstrap.mjs <script.ts> [arguments…]\n",
      });
    });

    it("decides the exit code", async () => {
      withScript("process.exitCode = 7 as number;");
      expect((await bootstrap(["scripts/script.ts"]).ended).code).to.equal(7);
    });

    it("keeps what it and its children compile beside the packages, or where it is told to", async () => {
      withScript("console.log(process.env.NODE_COMPILE_CACHE);");
      const { stdout } = await bootstrap(["scripts/script.ts"]).ended;
      expect(stdout).to.equal(`${path("node_modules", ".cache", "compiled")}\n`);
      const environment = { NODE_COMPILE_CACHE: path("elsewhere") };
      const told = await bootstrap(["scripts/script.ts"], { environment }).ended;
      expect(told.stdout).to.equal(`${path("elsewhere")}\n`);
    });

    it("that is killed gives 128 and the number of the signal", async () => {
      withScript('process.kill(process.pid, "SIGKILL");');
      expect((await bootstrap(["scripts/script.ts"]).ended).code).to.equal(137);
    });

    it("gets a signal once, however often it arrives, and is waited for", async () => {
      withScript(`
        let count = 0;
        process.on("SIGINT", () => { count += 1; setTimeout(() => { console.log("signals", count); process.exit(3); }, 600); });
        setInterval(() => {}, 1000);
        console.log("waiting");
      `);
      const program = bootstrap(["scripts/script.ts"]);
      await program.until("waiting");
      program.child.kill("SIGINT");
      setTimeout(() => program.child.kill("SIGINT"), 50);
      expect(await program.ended).to.include({ code: 3, stdout: "waiting\nsignals 1\n" });
    });

    it("learns that what started it was killed", async () => {
      withScript(`
        process.on("disconnect", () => process.exit());
        console.log("pid", process.pid, ".");
      `);
      const program = bootstrap(["scripts/script.ts"]);
      await program.until(" .");
      const pid = Number(/pid (\d+)/.exec(program.output())?.[1]);
      expect(isRunning(pid)).to.equal(true);
      program.child.kill("SIGKILL");
      await untilGone(pid);
    });
  });
});
