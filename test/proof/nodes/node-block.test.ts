import { expect } from "chai";
import { agreedBlock, nodeBlock, nodeQuestions } from "../../../proof/src/nodes/node-block.ts";

const at = { chainId: 7, number: 100 };
const hash = `0x${"ab".repeat(32)}`;
const results = { chainId: "0x7", finalized: { number: "0x70" }, block: { number: "0x64", hash } };

describe("a block as nodes tell it", () => {
  it("is asked for by its number, with the chain and the final block beside it", () => {
    expect(nodeQuestions(at)).to.deep.equal({
      chainId: ["eth_chainId", []],
      finalized: ["eth_getBlockByNumber", ["finalized", false]],
      block: ["eth_getBlockByNumber", ["0x64", false]],
    });
  });

  it("has the hash that a node of its chain tells of a final block", () => {
    const capital = { ...results, block: { number: "0x64", hash: `0x${"AB".repeat(32)}` } };
    expect(nodeBlock("a", at, capital)).to.deep.equal({ host: "a", hash });
    expect(nodeBlock("a", at, { ...results, finalized: { number: "0x64" } })).to.have.property("hash", hash);
  });

  for (const [what, wrong, code] of [
    ["of another chain", { chainId: "0x1" }, "rpc-other-chain"],
    ["of no chain", { chainId: null }, "rpc-other-chain"],
    ["without a final block", { finalized: null }, "rpc-no-final"],
    ["that is not that far", { finalized: { number: "0x63" } }, "rpc-not-final"],
    ["that has it not", { block: null }, "rpc-no-block"],
    ["that tells another", { block: { number: "0x63", hash } }, "rpc-no-block"],
    ["that tells no hash", { block: { number: "0x64", hash: "0xab" } }, "rpc-no-block"],
  ] as const) {
    it(`has none from a node ${what}`, () => {
      expect(nodeBlock("a", at, { ...results, ...wrong })).to.have.property("code", code);
    });
  }

  it("is trusted where all nodes agree", () => {
    const told = ["a", "b"].map((host) => ({ host, hash }));
    expect(agreedBlock(told, at)).to.deep.equal({
      ...{ hash, number: 100 },
      source: "from 2 nodes that agree: a, b",
    });
    expect(agreedBlock(told.slice(1), at)).to.have.property("source", "from the node b");
  });

  it("is not trusted where one says otherwise, or none was asked", () => {
    const told = [
      { host: "a", hash },
      { host: "b", hash: `0x${"cd".repeat(32)}` },
    ];
    expect(agreedBlock(told, at)).to.have.property("code", "rpc-disagree");
    expect(agreedBlock([], at)).to.have.property("code", "rpc-no-block");
  });
});
