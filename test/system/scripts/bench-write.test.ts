import { expect } from "chai";
import { runNode } from "../../support/program.ts";

describe("npm run bench:write", () => {
  const run = (...args: string[]) => runNode(["scripts/bench/write.ts", ...args]).ended;

  it("says what it does", async () => {
    const { code, stdout } = await run("--help");
    expect(code).to.equal(0);
    for (const option of ["--seconds", "--rate", "--polls", "--write"]) expect(stdout).to.contain(option);
  });

  it("refuses a rate that is none", async () => {
    const { code, stderr } = await run("--rate", "fast");
    expect(code).to.equal(1);
    expect(stderr).to.contain("--seconds, --rate, --polls and --authors take numbers");
  });

  it("follows each asset until it is Confirmed, and counts them on the chain", async () => {
    const { code, stdout, stderr } = await run("--seconds", "1", "--rate", "4", "--polls", "10");
    expect(code, stderr).to.equal(0);
    expect(stdout).to.contain("4 requested").and.to.contain("4 Confirmed, 4 events on the chain");
  });
});
