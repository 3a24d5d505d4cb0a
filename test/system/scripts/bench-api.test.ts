import { expect } from "chai";
import { runNode } from "../../support/program.ts";

describe("npm run bench:api", () => {
  const run = (...args: string[]) => runNode(["scripts/bench/api.ts", ...args]).ended;

  it("says what it does", async () => {
    const { code, stdout } = await run("--help");
    expect(code).to.equal(0);
    for (const option of ["--assets", "--seconds", "--rounds", "--write"]) expect(stdout).to.contain(option);
  });

  it("refuses sizes that are none", async () => {
    const { code, stderr } = await run("--assets", "many");
    expect(code).to.equal(1);
    expect(stderr).to.contain("--assets takes numbers from 100");
  });

  it("measures every question beside its floor, on an index of its own", async () => {
    const { code, stdout, stderr } = await run(
      "--assets",
      "200",
      "--seconds",
      "0.2",
      "--rounds",
      "1",
      "--connections",
      "2,4",
    );
    expect(code, stderr).to.equal(0);
    for (const name of [
      "floor: asset by id",
      "asset by id",
      "status",
      "links",
      "floor: constant",
      "floor: links of a hub",
      "links of a hub",
      "floor: 20 by author",
      "20 by author",
      "floor: search by hash",
      "search by hash",
    ]) {
      expect(stdout).to.contain(`| 200 | 2 | ${name} |`);
    }
    expect(stdout).to.contain("| 200 | 4 | asset by id |").and.not.contain("| 200 | 4 | 20 by author |");
  });
});
