import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { type Supervised, supervise } from "../../../scripts/local/supervisor.ts";
import { openLog } from "../../../scripts/terminal/log.ts";
import { eventually } from "../../support/eventually.ts";
import { isRunning } from "../../support/program.ts";

describe("supervise", () => {
  let folder: string;
  let said: string[];
  let hopeless: string[];
  let service: Supervised | undefined;
  const path = (name: string) => join(folder, name);

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "supervisor-"));
    said = [];
    hopeless = [];
    writeFileSync(path("starts"), "");
  });
  afterEach(async () => {
    await service?.stop();
    rmSync(folder, { recursive: true });
  });

  /** Each start of the script adds its process number to a file. */
  function superviseScript(body: string) {
    const script = path("script.ts");
    writeFileSync(
      script,
      `require("node:fs").appendFileSync("${path("starts")}", process.pid + "\\n");\n${body}`,
    );
    const log = openLog("part", path("part.log"), (line) => said.push(line));
    service = supervise({
      name: "part",
      script,
      log,
      say: (line) => said.push(line),
      onHopeless: (reason) => hopeless.push(reason),
      firstDelayMs: 40,
    });
    return service;
  }
  const pids = async () => readFileSync(path("starts"), "utf8").split("\n").filter(Boolean).map(Number);

  it("starts a part again that ends, after longer and longer waits", async () => {
    superviseScript("process.exitCode = 5;").markReady();
    await eventually("four starts", pids, ({ length }) => length >= 4);
    const waits = said.map((line) =>
      Number(/exit code 5\), starting it again in ([\d.]+) s/.exec(line)?.[1]),
    );
    expect(waits.slice(0, 3)).to.deep.equal([0.04, 0.08, 0.16]);
    expect(hopeless).to.deep.equal([]);
  });

  it("does not start a part again that says that its settings are wrong, and says what it said", async () => {
    superviseScript('console.error("RPC_URL names another chain"); process.exitCode = 78;').markReady();
    await eventually(
      "the end",
      async () => hopeless,
      ({ length }) => length > 0,
    );
    expect(hopeless).to.deep.equal(["The part cannot work with these settings: RPC_URL names another chain"]);
    expect(await pids()).to.have.lengthOf(1);
    expect(said).to.deep.equal([]);
  });

  it("gives up a part that never became ready, with its last words", async () => {
    superviseScript('console.error("the reason"); process.exitCode = 1;');
    await eventually(
      "giving up",
      async () => hopeless,
      ({ length }) => length > 0,
    );
    expect(hopeless).to.have.lengthOf(1);
    expect(hopeless[0])
      .to.match(/^The part does not start \(exit code 1\)/)
      .and.include("the reason");
    expect(await pids()).to.have.lengthOf(3);
  });

  it("stops a part by a signal that it can answer", async () => {
    const part = superviseScript(`
      process.on("SIGTERM", () => { require("node:fs").writeFileSync("${path("goodbye")}", ""); process.exit(); });
      setInterval(() => {}, 1000);
    `);
    const [pid = 0] = await eventually("a start", pids, ({ length }) => length > 0);
    await new Promise((resolve) => setTimeout(resolve, 100));
    await part.stop();
    expect(isRunning(pid)).to.equal(false);
    expect(readFileSync(path("goodbye"), "utf8")).to.equal("");
    expect(said).to.deep.equal([]);
  });
});
