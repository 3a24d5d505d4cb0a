import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect } from "chai";
import { eventually } from "../support/eventually.ts";

type Line = { msg: string; dropped?: number };

/** A process that logs as the API does, and the lines that were read of it. */
function logging(script: string) {
  const module = join(import.meta.dirname, "../../config/log.ts");
  const code = `
    const { openLog } = await import(${JSON.stringify(module)});
    const log = openLog("api", "info", 8_192);
    ${script}`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", code], {
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  let text = "";
  let said = "";
  const read = () =>
    child.stdout?.on("data", (part: Buffer) => {
      text += part;
    });
  child.stderr?.on("data", (part: Buffer) => {
    said += part;
  });
  const lines = () =>
    text
      .slice(0, text.lastIndexOf("\n") + 1)
      .split("\n")
      .flatMap((line) => (line === "" ? [] : [JSON.parse(line) as Line]));
  const messages = () => lines().map(({ msg }) => msg);
  return { child, read, lines, messages, said: () => said };
}

describe("a process's log", () => {
  it("writes a line that is alone while the process lives on", async () => {
    const { child, read, messages } = logging(`log.info("alone"); setInterval(() => {}, 1000);`);
    read();
    await eventually(
      "the line",
      async () => messages(),
      (seen) => seen.length > 0,
    );
    expect(messages()).to.deep.equal(["alone"]);
    child.kill("SIGKILL");
    await once(child, "close");
  });

  const lines = "for (let line = 0; line < 20_000; line += 1) log.info(String(line));";
  for (const [how, end] of [
    ["has no more to do", "process.disconnect();"],
    ["is told to exit", "process.exit(0);"],
    ["is ended by an error", "setTimeout(() => { throw new Error(); });"],
  ] as const) {
    it(`loses and mixes up nothing of many lines when the process ${how}`, async () => {
      const { child, read, messages } = logging(lines + end);
      read();
      await once(child, "close");
      expect(messages()).to.deep.equal(Array.from({ length: 20_000 }, (_, line) => String(line)));
    });
  }

  /** Twelve million bytes in turns of the event loop, so that a write that blocks it would keep the message from coming. */
  const flood = `
    let line = 0;
    await new Promise((done) => {
      const some = () => {
        for (let n = 0; n < 100; n += 1) log.info({ of: "x".repeat(900) }, String(line++));
        if (line < 12_000) setImmediate(some);
        else done();
      };
      some();
    });
    process.send("flooded");`;

  it("goes on while its reader stands still, and counts what it dropped", async () => {
    const { child, read, lines, messages } = logging(`${flood}
      process.once("message", () => { log.info("last"); process.disconnect(); });`);
    expect((await once(child, "message"))[0]).to.equal("flooded");
    read();
    const [report] = await eventually(
      "a line that counts",
      async () => lines().filter(({ dropped }) => dropped !== undefined),
      (seen) => seen.length > 0,
    );
    child.send("end");
    await once(child, "close");
    const kept = messages().filter((message) => /^\d+$/.test(message));
    expect(kept).to.deep.equal(Array.from(kept, (_, line) => String(line)));
    expect(report?.dropped).to.equal(12_000 - kept.length);
    expect(kept.length).to.be.within(3_000, 6_000);
    expect(messages().at(-1)).to.equal("last");
  });

  it("counts what it dropped when the process ends too", async () => {
    const { child, read, lines } = logging(`${flood} process.exit(0);`);
    await once(child, "message");
    read();
    await once(child, "close");
    expect(lines().at(-1)).to.have.property("dropped", 12_000 - (lines().length - 1));
  });

  it("holds up no process that ends while its reader stands still", async () => {
    const { child, said } = logging(`${flood} process.exit(7);`);
    expect((await once(child, "exit"))[0]).to.equal(7);
    expect(said()).to.equal("");
    child.stdout?.destroy();
  });

  it("ends no process whose reader is gone", async () => {
    const { child, said } = logging(`
      process.once("message", () => {
        log.info("x".repeat(10_000));
        setTimeout(() => { log.info("last"); process.exit(7); });
      });`);
    child.stdout?.destroy();
    child.send("write");
    expect((await once(child, "exit"))[0]).to.equal(7);
    expect(said()).to.equal("");
  });
});
