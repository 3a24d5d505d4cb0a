import { expect } from "chai";
import { relayerProblem } from "../../../domain/relayer/problem.ts";

describe("the problem of a relayer", () => {
  const nothing = { obstacle: undefined, stuck: undefined, earlier: undefined };
  const stuck = { nonce: 7, since: new Date("2026-01-02T03:04:05Z") };
  const earlier = { relayer: "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266", underWay: 2 } as const;
  const said =
    "no block has taken nonce 7 of the relayer since 2026-01-02T03:04:05.000Z, and all later ones wait";

  it("is none where nothing is in its way", () => {
    expect(relayerProblem(nothing)).to.equal(undefined);
  });

  it("is its obstacle, in words", () => {
    expect(relayerProblem({ ...nothing, obstacle: "LOW_BALANCE", earlier })).to.equal(
      "the relayer's balance is too low",
    );
  });

  it("is the stuck nonce first, with the obstacle", () => {
    expect(relayerProblem({ ...nothing, stuck })).to.equal(said);
    expect(relayerProblem({ obstacle: "OVER_MAX_FEE", stuck, earlier })).to.equal(
      `${said}: the chain asks for more than RELAYER_MAX_FEE`,
    );
  });

  it("is the earlier key last", () => {
    expect(relayerProblem({ ...nothing, earlier })).to.equal(
      `2 transactions of an earlier RELAYER_KEY are under way (${earlier.relayer}): they are sent again as they are`,
    );
  });
});
