import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect } from "chai";
import { eventually } from "../support/eventually.ts";

/** A process that logs as the API does, and the messages that it has written. */
function logging(script: string) {
  const module = join(import.meta.dirname, "../../api/log.ts");
  const code = `const { openLog } = await import(${JSON.stringify(module)}); const log = openLog("info"); ${script}`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", code], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  let text = "";
  child.stdout.on("data", (part: Buffer) => {
    text += part;
  });
  const messages = () =>
    text.split("\n").flatMap((line) => (line === "" ? [] : [(JSON.parse(line) as { msg: string }).msg]));
  return { child, messages };
}

describe("the API's log", () => {
  it("writes a line that is alone while the process lives on", async () => {
    const { child, messages } = logging(`log.info("alone"); setInterval(() => {}, 1000);`);
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
    ["has no more to do", ""],
    ["is told to exit", "process.exit(0);"],
    ["is ended by an error", "setTimeout(() => { throw new Error(); });"],
  ] as const) {
    it(`loses and mixes up nothing of many lines when the process ${how}`, async () => {
      const { child, messages } = logging(lines + end);
      await once(child, "close");
      expect(messages()).to.deep.equal(Array.from({ length: 20_000 }, (_, line) => String(line)));
    });
  }
});
