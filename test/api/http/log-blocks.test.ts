import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect } from "chai";
import { eventually } from "../../support/eventually.ts";

/** A process that logs as the API does, and what it has written. */
function logging(script: string) {
  const blocks = join(import.meta.dirname, "../../../api/http/log-blocks.ts");
  const code = `const { logInBlocks } = await import(${JSON.stringify(blocks)}); const log = logInBlocks(1); ${script}`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", code], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const seen = { text: "" };
  child.stdout.on("data", (part: Buffer) => {
    seen.text += part;
  });
  return { child, seen };
}

describe("the log in blocks", () => {
  it("writes a line that is alone while the process lives on", async () => {
    const { child, seen } = logging(`log.write("alone\\n"); setInterval(() => {}, 1000);`);
    await eventually(
      "the line",
      async () => seen.text,
      (text) => text === "alone\n",
    );
    child.kill("SIGKILL");
    await once(child, "close");
  });

  it("loses and mixes up nothing of many lines when the process ends", async () => {
    const { child, seen } = logging(
      `for (let line = 0; line < 20_000; line += 1) log.write(line + "\\n"); process.exit(0);`,
    );
    await once(child, "close");
    expect(seen.text).to.equal(Array.from({ length: 20_000 }, (_, line) => `${line}\n`).join(""));
  });
});
