import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import {
  createWriteStream,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import { startEventService } from "../../support/event-service.ts";
import { eventually } from "../../support/eventually.ts";
import { type InstalledCli, installCli } from "../../support/packed-cli.ts";

const execute = promisify(execFile);
const abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

describe("the packed command line", () => {
  let cli: InstalledCli;
  const path = (name: string) => join(cli.project, name);
  const file = (name: string, content: string | Uint8Array) => {
    writeFileSync(path(name), content);
    return name;
  };
  /** A file of zeros that takes no room on the disk, with some bytes at its end. */
  const sparse = (name: string, size: number) => {
    file(name, "");
    truncateSync(path(name), size - 3);
    const handle = openSync(path(name), "a");
    writeSync(handle, "end");
    return name;
  };
  before(async () => {
    cli = await installCli();
    file("abc", "abc");
  });
  after(() => cli?.remove());

  it("is small, and needs the client, the verifier and little else", () => {
    const bytes = cli.tarballs.reduce((sum, tarball) => sum + statSync(tarball).size, 0);
    expect(bytes).to.be.below(150_000);
    const own = join(cli.project, "node_modules", "asset-registry-cli");
    expect(readdirSync(own)).to.have.members(["LICENSE", "README.md", "dist", "package.json"]);
    const modules = readdirSync(join(cli.project, "node_modules")).filter((name) => !name.startsWith("."));
    expect(modules).to.have.members([
      ...["asset-registry-cli", "asset-registry-client", "asset-registry-proof"],
      ...["commander", "micro-eth-signer", "micro-packed", "@noble", "@scure", "@ethereumjs", "hash-wasm"],
    ]);
  });

  it("shows its help without loading what signs", async () => {
    const { code, stdout } = await cli.run(["--help"]);
    expect(code).to.equal(0);
    expect(stdout).to.contain("asset-registry [options] [command]");
  });

  it("hashes a file, and standard input, in a folder where it was just installed", async () => {
    expect(await cli.run(["hash", "abc"])).to.include({ code: 0, stdout: `${abc}  abc\n`, stderr: "" });
    expect(await cli.run(["hash", "-"], { input: "abc" })).to.include({ code: 0, stdout: `${abc}  -\n` });
  });

  it("hashes 600 MB as sha256sum does, in little memory", async () => {
    const name = sparse("large", 600_000_000);
    const expected = (await execute("sha256sum", [path(name)])).stdout.slice(0, 64);
    // The heap and everything beside it may take this much.
    const env = { NODE_OPTIONS: "--max-old-space-size=64" };
    const running = cli.start(["hash", name], { env });
    let most = 0;
    const look = () => {
      if (process.platform !== "linux") return;
      try {
        const [, kilobytes] =
          /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${running.child.pid}/status`, "utf8")) ?? [];
        most = Math.max(most, Number(kilobytes ?? 0));
      } catch {
        // It has ended.
      }
    };
    const timer = setInterval(look, 20);
    const { code, stdout } = await running.ended;
    clearInterval(timer);
    expect({ code, stdout }).to.deep.equal({ code: 0, stdout: `${expected}  large\n` });
    expect(most).to.be.below(200_000);
  });

  it("ends at Ctrl-C with exit code 130 and no result", async () => {
    const fifo = path("fifo");
    await execute("mkfifo", [fifo]);
    const running = cli.start(["hash", "fifo"]);
    const writer = createWriteStream(fifo);
    // It has opened its end, and waits for bytes that nobody writes.
    await once(writer, "open");
    running.child.kill("SIGINT");
    const { code, signal, stdout } = await running.ended;
    writer.destroy();
    // Where the read had begun already, the signal itself ends it, which a shell shows as 130 too.
    expect(code ?? signal).to.be.oneOf([130, "SIGINT"]);
    expect(stdout).to.equal("");
  });

  it("follows events until Ctrl-C, with exit code 130 and the place to go on, or until nobody reads", async () => {
    const service = await startEventService();
    try {
      service.tell(2);
      const env = { ASSET_REGISTRY_URL: service.url, ASSET_REGISTRY_API_KEY: "key" };
      const running = cli.start(["events", "--follow"], { env });
      await running.until(/^2 {2}/m);
      await eventually(
        "the stream",
        async () => service.openStreams(),
        (open) => open === 1,
      );
      service.tell();
      await running.until(/^3 {2}/m);
      running.child.kill("SIGINT");
      const { code, stdout, stderr } = await running.ended;
      expect({ code, stderr }).to.deep.equal({ code: 130, stderr: "Continue with --after 3.\n" });
      expect(stdout.match(/^\d+/gm)).to.deep.equal(["1", "2", "3"]);
      const piped = cli.startShell("asset-registry events --follow | head -1", env);
      await piped.until(/^1 {2}/m);
      service.tell(2);
      const first = await piped.ended;
      expect(first).to.include({ code: 0, stderr: "" });
      expect(first.stdout.trimEnd().split("\n")).to.have.length(1);
    } finally {
      await service.stop();
    }
  });

  it("ends without a word when nobody reads its output any more", async () => {
    const child = spawn(
      "sh",
      [
        "-c",
        `yes abc | head -2000 | xargs "$0" hash | head -1; echo "\${PIPESTATUS:-0}"`,
        join(cli.project, "node_modules", ".bin", "asset-registry"),
      ],
      {
        cwd: cli.project,
        stdio: ["ignore", "pipe", "pipe"],
      },
    );
    let [stdout, stderr] = ["", ""];
    child.stdout.setEncoding("utf8").on("data", (text) => (stdout += text));
    child.stderr.setEncoding("utf8").on("data", (text) => (stderr += text));
    const [code] = await once(child, "close");
    expect(code).to.equal(0);
    expect(stdout.split("\n")[0]).to.equal(`${abc}  abc`);
    expect(stderr).to.equal("");
  });

  it("says in one sentence what is wrong, never where in the code", async () => {
    mkdirSync(path("folder"), { recursive: true });
    for (const [args, code, words] of [
      [["hash", "missing"], 2, "There is no file missing.\n"],
      [["hash", "folder"], 2, "folder is a folder: name a file.\n"],
      [["verify", "abc", "abc"], 2, ""],
      [["verify"], 3, "Name a file, or give --hash or --no-file.\n"],
      [["find", "abc"], 3, "No service is named"],
      [["status", "x", "--service", "nowhere"], 3, "url must begin with http://"],
      [
        ["status", "x", "--service", "http://127.0.0.1:2"],
        2,
        "The service at 127.0.0.1:2 does not answer: connect ECONNREFUSED",
      ],
    ] as const) {
      const ended = await cli.run([...args]);
      expect(ended.code, args.join(" ")).to.equal(code);
      expect(ended.stderr).to.contain(words);
      expect(ended.stdout + ended.stderr).to.not.match(/\n\s+at |file:\/\/|Unexpected/);
    }
  });

  it("reads its configuration from the usual place, and from where it is told to", async () => {
    mkdirSync(path("config/asset-registry"), { recursive: true });
    writeFileSync(path("config/asset-registry/config.json"), '{"url": "http://127.0.0.1:2"}');
    expect((await cli.run(["find", "abc"])).stderr).to.contain("127.0.0.1:2");
    file("other.json", '{"url": "http://127.0.0.1:3"}');
    expect((await cli.run(["find", "abc", "--config", "other.json"])).stderr).to.contain("127.0.0.1:3");
  });
});
