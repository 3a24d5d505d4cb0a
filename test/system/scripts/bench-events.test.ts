import { expect } from "chai";
import { runNode } from "../../support/program.ts";

describe("npm run bench:events", () => {
  const run = (...args: string[]) => runNode(["scripts/bench/events.ts", ...args]).ended;

  it("says what it does", async () => {
    const { code, stdout } = await run("--help");
    expect(code).to.equal(0);
    for (const option of ["--seconds", "--rate", "--streams", "--webhooks", "--write"]) {
      expect(stdout).to.contain(option);
    }
  });

  it("refuses numbers of streams that are none", async () => {
    const { code, stderr } = await run("--streams", "1,many");
    expect(code).to.equal(1);
    expect(stderr).to.contain("take numbers");
  });

  it("tells streams, webhooks and pollers of every event, and prints how soon", async () => {
    const sizes = ["--seconds", "1", "--rate", "4", "--rounds", "1"];
    const readers = ["--streams", "1,3", "--webhooks", "2", "--writers", "1"];
    const { code, stdout, stderr } = await run(...sizes, ...readers);
    expect(code, stderr).to.equal(0);
    // Five states of each of four requests; three streams of everything are told of two events of the chain, too.
    for (const row of ["| 1 stream | 20 |", "| 3 streams, each of everything | 84 |", "| 2 webhooks | 4 |"]) {
      expect(stdout).to.contain(row);
    }
  });
});
