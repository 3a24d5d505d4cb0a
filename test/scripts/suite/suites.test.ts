import { globSync, statSync } from "node:fs";
import { expect } from "chai";
import { shardsOf } from "../../../scripts/suite/shards.ts";
import { deepSuite, suite, systemSuite } from "../../../scripts/suite/suites.ts";

describe("the suites of tests", () => {
  const all = globSync("test/**/*.test.ts").sort();
  const filesOf = (of: typeof suite) => shardsOf(of).flat();

  it("hold each file of tests once: npm test, test:system, or test:deep beside what npm test holds", () => {
    const [usual, system, deep] = [suite, systemSuite, deepSuite].map(filesOf) as [
      string[],
      string[],
      string[],
    ];
    expect(deep).to.include.members(usual);
    const onlyDeep = deep.filter((file) => !usual.includes(file));
    expect(onlyDeep).to.not.be.empty;
    expect([...usual, ...system, ...onlyDeep].sort()).to.deep.equal(all);
  });

  it("are dealt to processes that run side by side, without any file that another has", () => {
    const bytesOf = (files: string[]) => files.reduce((sum, file) => sum + statSync(file).size, 0);
    const shards = shardsOf(suite);
    expect(shards.length).to.be.above(1);
    const average = Math.round(bytesOf(filesOf(suite)) / shards.length);
    for (const shard of shards) expect(bytesOf(shard)).to.be.closeTo(average, Math.round(average / 20));
  });
});
