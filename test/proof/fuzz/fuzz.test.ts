import { expect } from "chai";
import { codes } from "../../../proof/src/proof.ts";
import { fuzzProofs } from "./fuzz.ts";
import { mutationNames } from "./mutations.ts";

describe("five thousand mutated proofs", () => {
  it("are valid only where what they say is true", async () => {
    const seed = 1;
    const report = await fuzzProofs({ seed, mutations: 5_000, say: () => undefined });
    const command = `npm run fuzz:proof -- --mutations 5000 --seed ${seed}`;
    const problems = report.problems.map((problem) => problem.slice(0, 400));
    expect(problems, `${command}\n${problems.join("\n")}`).to.deep.equal([]);
    expect(report.mutations).to.equal(5_000);
    expect(report.slowest).to.be.below(500);
    // They reach what lies behind the first checks, too.
    expect([...report.codes.keys()]).to.include.members([
      ...codes.valid.filter((code) => code !== "file-matches"),
      ...[
        "unreadable-document",
        "id-differs",
        "account-proof-broken",
        "asset-proof-broken",
        "link-proof-broken",
      ],
      ...["header-hash-differs", "header-differs", "another-block", "not-registered", "creation-cancelled"],
      ...["author-differs", "file-differs", "unknown-registry"],
    ]);
    for (const name of mutationNames) {
      const verdicts = [...report.verdicts.keys()].filter((key) => key.startsWith(`${name}: `));
      expect(verdicts, name).not.to.deep.equal([]);
    }
  }).timeout(120_000);
});
