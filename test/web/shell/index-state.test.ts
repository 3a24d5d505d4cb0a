import type { ServiceStatus } from "asset-registry-client";
import { expect } from "chai";
import { indexProblem } from "../../../web/src/shell/index-state.ts";

describe("the words above every page on an index that is not up to date", () => {
  const current = {
    haltedReason: null,
    indexedBlock: 7,
    indexerRunning: true,
    lag: 0,
    remainingSeconds: null,
    waitingFor: [],
  } as unknown as ServiceStatus;

  it("are none where it is up to date", () => {
    expect(indexProblem(current)).to.equal(undefined);
  });

  it("quote a node inert and short", () => {
    const problem = `\u202e${"z".repeat(10_000)}`;
    for (const status of [{ haltedReason: problem }, { waitingFor: [{ problem }] }]) {
      const words = indexProblem({ ...current, ...status } as unknown as ServiceStatus);
      expect(words).to.contain("[U+202E]zzz").and.to.have.lengthOf.below(700);
    }
  });
});
