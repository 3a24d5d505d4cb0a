import { expect } from "chai";
import { allowedRange } from "../../../rpc/errors/allowed-range.ts";

describe("allowedRange", () => {
  for (const [said, asked, blocks] of [
    ["you can make eth_getLogs requests with up to a 10 block range. Based on [0x1, 0x64]", 100, 10],
    ["block range is larger than max 2,000 blocks", 5_000, 2_000],
    ["eth_getLogs is limited to a 1000 blocks range", 5_000, 1_000],
    ["eth_getLogs range is limited to 500", 5_000, 500],
    ["query returned more than 10000 results", 5_000, undefined],
    ["block range too large", 5_000, undefined],
    ["limited to 10000 blocks", 5_000, undefined],
    ["x", 5_000, undefined],
  ] as const) {
    it(`reads "${said}"`, () => expect(allowedRange(said, asked)).to.equal(blocks));
  }

  it("looks at the beginning of a long text only", () => {
    expect(allowedRange(`${"9".repeat(1_000_000)} 10 blocks`, 100)).to.equal(undefined);
  });
});
