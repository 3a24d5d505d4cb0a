import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";

import { lock, tryLock } from "../../../scripts/bootstrap/lock.mjs";
import { root, runNode } from "../../support/program.ts";

describe("tryLock", () => {
  let folder: string;
  const file = () => join(folder, "deeper", "a.lock");
  const holder = () => {
    const script = `
      const { tryLock } = await import(${JSON.stringify(join(root, "scripts/bootstrap/lock.mjs"))});
      console.log("release" in tryLock(${JSON.stringify(file())}) ? "held." : "refused.");
      setInterval(() => {}, 1000);
    `;
    return runNode(["--input-type=module", "--eval", script]);
  };

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "exclusive-"));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it("gives the lock to one, until it is given back", () => {
    const held = tryLock(file());
    if (!("release" in held)) throw new Error("refused");
    held.release();
    expect(existsSync(file())).to.equal(false);
  });

  it("tells who holds it", async () => {
    const other = holder();
    await other.until("held.");
    expect(tryLock(file())).to.deep.equal({ heldBy: other.child.pid });
    other.child.kill("SIGKILL");
    await other.ended;
  });

  it("passes it on from a process that was killed", async () => {
    const other = holder();
    await other.until("held.");
    let waitedFor: number | undefined;
    const waiting = lock(file(), (pid) => {
      waitedFor = pid;
      other.child.kill("SIGKILL");
    });
    (await waiting).release();
    expect(waitedFor).to.equal(other.child.pid);
  });

  it("passes it on when the number of a dead process was given out again, or the file is broken", () => {
    for (const text of [JSON.stringify([{ pid: process.ppid, born: "long ago" }]), "", "{"]) {
      rmSync(file(), { force: true });
      const first = tryLock(file());
      writeFileSync(file(), text);
      expect(tryLock(file())).to.have.property("release");
      if ("release" in first) first.release();
    }
  });
});
