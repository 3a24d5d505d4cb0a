import { expect } from "chai";
import { indexInWords } from "../../../../web/src/pages/home/index-words.ts";

describe("the state of the index in words", () => {
  const status = {
    ...{
      indexedBlock: 12,
      finalBlock: 8,
      lag: 0,
      confirmations: 5,
      pendingRequests: 0,
      indexerRunning: true,
    },
  };

  it("says what is final, and what is under way", () => {
    expect(indexInWords(status)).to.deep.equal([
      "Up to date with the chain, as of block 12.",
      "An asset is final once its block has 5 confirmations.",
      "What stands in blocks up to 8 is final.",
      "No registration or change of links is under way.",
    ]);
  });

  it("says how far it is behind, or that it is not being updated", () => {
    const told = { ...status, lag: 1, confirmations: "finalized" as const, finalBlock: -1 };
    const finalized = "An asset is final once the chain itself has finalized its block.";
    expect(indexInWords(told).slice(0, 2)).to.deep.equal([
      "1 block behind the chain, as of block 12.",
      finalized,
    ]);
    expect(indexInWords(told).join()).not.to.include("blocks up to");
    const [stopped] = indexInWords({ ...told, indexerRunning: false });
    expect(stopped).to.equal("It stands at block 12, and is not being updated just now.");
  });

  it("says that nothing is known yet", () => {
    for (const none of [undefined, { ...status, indexedBlock: null }]) {
      expect(indexInWords(none)).to.deep.equal(["How far the index is, is not known yet."]);
    }
  });
});
