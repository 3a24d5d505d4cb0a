import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { finished } from "node:stream/promises";
import { setImmediate } from "node:timers/promises";
import { expect } from "chai";

import { openLog, readableLine } from "../../../scripts/terminal/log.ts";
import { createProgress } from "../../../scripts/terminal/progress.ts";

describe("readableLine", () => {
  const line = (entry: object) => JSON.stringify({ time: 0, ...entry });
  const time = new Date(0).toTimeString().slice(0, 8);

  it("shows warnings and worse as one line", () => {
    const entry = line({
      level: 50,
      msg: "the node\ndoes not answer",
      err: { message: "timeout", stack: "at …" },
    });
    expect(readableLine("indexer", entry)).to.equal(
      `${time} indexer error: the node does not answer: timeout`,
    );
    expect(readableLine("indexer", line({ level: 40, msg: "slow" }))).to.equal(`${time} indexer warn: slow`);
  });

  it("leaves the rest to the file, unless asked for all", () => {
    expect(readableLine("api", line({ level: 30, msg: "listening" }))).to.equal(undefined);
    expect(readableLine("api", line({ level: 30, msg: "listening" }), 0)).to.equal(
      `${time} api info: listening`,
    );
  });

  it("leaves what is no log entry to the file", () => {
    expect(readableLine("api", "    at file.ts:1")).to.equal(undefined);
    expect(readableLine("api", "text", 0)).to.equal("api: text");
  });
});

describe("openLog", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "terminal-log-"));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  /** What is shown of a child that writes these lines into this file. */
  async function shown(file: string, lines: readonly string[]): Promise<string[]> {
    const show: string[] = [];
    const log = openLog("api", file, (text) => show.push(text));
    const stream = Readable.from(lines.map((text) => `${text}\n`));
    log.follow(stream);
    await finished(stream);
    await setImmediate();
    log.close();
    return show.map((text) => text.replace(/^\d\d:\d\d:\d\d /, ""));
  }

  it("shows what repeats once, and nothing that says nothing, and keeps all of it in the file", async () => {
    const lines = [
      JSON.stringify({ level: 40, time: 0 }),
      ...Array.from({ length: 48 }, (_, time) => JSON.stringify({ level: 40, time, msg: "no node" })),
      JSON.stringify({ level: 40, time: 0, msg: "refused", err: { message: "no database" } }),
    ];
    const file = join(folder, "api.log");
    expect(await shown(file, lines)).to.deep.equal(["api warn: no node", "api warn: refused: no database"]);
    expect(readFileSync(file, "utf8")).to.equal(`${lines.join("\n")}\n`);
  });

  it("goes on when the disk is full, and says so once", async function () {
    // Only Linux has a file that is always full.
    if (!existsSync("/dev/full")) return this.skip();
    const show = await shown("/dev/full", ["one", "two", "three"]);
    expect(show).to.have.lengthOf(1);
    expect(show[0]).to.include("The log of the api cannot be written: ENOSPC").and.to.include("goes on");
  });
});

describe("createProgress", () => {
  function terminal(isTTY: boolean) {
    const written: string[] = [];
    return { written, isTTY, write: (text: string) => written.push(text) > 0 };
  }

  it("prints one plain line for each step that is done", async () => {
    const out = terminal(false);
    const progress = createProgress(out);
    expect(await progress.step("database", async () => 7)).to.equal(7);
    await progress.step(
      "schema",
      async () => {},
      () => "schema up to date",
    );
    progress.end();
    expect(out.written.join("")).to.match(
      /^ok database ready \(\d\.\d s\)\nok schema up to date \(\d\.\d s\)\n$/,
    );
  });

  it("prints nothing for a step that fails or was given up", async () => {
    const out = terminal(false);
    const progress = createProgress(out);
    await progress.step("database", () => Promise.reject(new Error())).catch(() => {});
    progress.abandonSteps();
    await progress.step("chain", async () => {});
    expect(out.written).to.deep.equal([]);
  });

  it("shows on a terminal what is being waited for", async () => {
    const out = terminal(true);
    const progress = createProgress(out);
    const slow = progress.step("chain", () => new Promise<void>((resolve) => setTimeout(resolve, 30)));
    progress.say("hello");
    expect(out.written.at(-1)).to.match(/chain 0\.\d s …$/);
    await slow;
    progress.end();
    expect(out.written.join("")).to.include("✓ chain ready");
  });
});
