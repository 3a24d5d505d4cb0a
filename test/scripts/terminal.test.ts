import { expect } from "chai";

import { readableLine } from "../../scripts/local/log.ts";
import { createProgress } from "../../scripts/local/progress.ts";

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
