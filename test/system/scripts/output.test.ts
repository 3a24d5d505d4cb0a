import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { expect } from "chai";
import { root, runNode } from "../../support/program.ts";

describe("what scripts say", () => {
  it("ends quietly when nobody reads it any more", async () => {
    const script = `
      import { endWithReader } from "./scripts/terminal/quiet-pipe.ts";
      endWithReader();
      setInterval(() => console.log("more"), 10);
    `;
    const child = spawn(process.execPath, ["--input-type=module-typescript", "--eval", script], {
      cwd: root,
    });
    child.stdout.once("data", () => child.stdout.destroy());
    const [stderr] = await Promise.all([text(child.stderr), once(child, "close")]);
    expect({ code: child.exitCode, stderr }).to.deep.equal({ code: 0, stderr: "" });
  });

  it("npm run migrate says where no database answers, and no password", async () => {
    const env = { PATH: process.env["PATH"], DATABASE_URL: "postgres://u:secret@127.0.0.1:1/d" };
    const { code, stderr } = await runNode(["scripts/migrate.ts"], { env }).ended;
    expect({ code, stderr }).to.deep.equal({
      code: 1,
      stderr: "Nothing answers at 127.0.0.1:1: check DATABASE_URL.\n",
    });
  });
});
