import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";

import { hold, tryHold } from "../../../scripts/local/exclusive.ts";
import { root, runNode } from "../../support/program.ts";

describe("tryHold", () => {
  let folder: string;
  const file = () => join(folder, "deeper", "a.lock");
  const holder = () => {
    const script = `
      const { tryHold } = await import(${JSON.stringify(join(root, "scripts/local/exclusive.ts"))});
      console.log("release" in tryHold(${JSON.stringify(file())}) ? "held." : "refused.");
      setInterval(() => {}, 1000);
    `;
    return runNode(["--input-type=module", "--eval", script]);
  };

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "exclusive-"));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it("gives the lock to one, until it is given back", () => {
    const lock = tryHold(file());
    if (!("release" in lock)) throw new Error("refused");
    lock.release();
    expect(existsSync(file())).to.equal(false);
  });

  it("tells who holds it", async () => {
    const other = holder();
    await other.until("held.");
    expect(tryHold(file())).to.deep.equal({ heldBy: other.child.pid });
    other.child.kill("SIGKILL");
    await other.ended;
  });

  it("passes it on from a process that was killed", async () => {
    const other = holder();
    await other.until("held.");
    let waitedFor: number | undefined;
    const waiting = hold(file(), (pid) => {
      waitedFor = pid;
      other.child.kill("SIGKILL");
    });
    (await waiting).release();
    expect(waitedFor).to.equal(other.child.pid);
  });

  it("passes it on when the number of a dead process was given out again, or the file is broken", () => {
    for (const text of [JSON.stringify({ pid: process.ppid, born: "long ago" }), "", "{"]) {
      rmSync(file(), { force: true });
      const first = tryHold(file());
      writeFileSync(file(), text);
      expect(tryHold(file())).to.have.property("release");
      if ("release" in first) first.release();
    }
  });
});
