import { expect } from "chai";
import { parseEther } from "viem";
import { costOf, formatAmount } from "../../../../web/src/pages/sign/rules/cost.ts";

describe("the cost of a transaction in words", () => {
  it("is gas times the present price, and the highest one at most", () => {
    const priced = { gas: "0x5208", gasPrice: "0x3b9aca00", maxFeePerGas: "0x77359400" } as const;
    expect(costOf(priced)).to.deep.equal({ usual: 21_000_000_000_000n, most: 42_000_000_000_000n });
    expect(costOf({ ...priced, maxFeePerGas: null })?.most).to.equal(21_000_000_000_000n);
    expect(costOf({ ...priced, maxFeePerGas: "0x1" })?.most).to.equal(21_000_000_000_000n);
    expect(costOf({ ...priced, gas: null })).to.equal(undefined);
    expect(costOf({ ...priced, gasPrice: null })).to.equal(undefined);
  });

  it("has two digits that count, rounded up", () => {
    const cases = [
      ["0", "0"],
      ["0.000000000000000001", "0.000000000000000001"],
      ["0.00012301", "0.00013"],
      ["0.00012", "0.00012"],
      ["0.000999", "0.001"],
      ["0.999", "1"],
      ["1", "1"],
      ["1.01", "1.01"],
      ["1.001", "1.01"],
      ["12.3456", "12.35"],
    ] as const;
    for (const [amount, shown] of cases) expect(formatAmount(parseEther(amount), 18)).to.equal(shown);
  });
});
