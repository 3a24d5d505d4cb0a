import { expect } from "chai";
import { type Hex, keccak256, pad, stringToHex, toEventSelector } from "viem";
import { decodeLogs } from "../../indexer/decode.ts";
import type { Log } from "../../indexer/node.ts";
import { owner } from "../support/accounts.ts";

const registry = { chainId: 31_337, address: owner.address };
const word = keccak256("0x01");

function logOf(...topics: Hex[]): Log {
  return {
    blockNumber: 7,
    blockHash: word,
    transactionHash: word,
    transactionIndex: 0,
    logIndex: 0,
    topics,
    data: "0x",
  };
}

describe("decodeLogs", () => {
  it("passes over an author's cancellations: they change no row, and nothing is wrong with them", () => {
    const cancelled = [
      logOf(toEventSelector("CreationCancelled(bytes32,address)"), word, pad(owner.address)),
      logOf(toEventSelector("LinkChangeCancelled(address,uint256)"), pad(owner.address), word),
    ];
    expect(decodeLogs(registry, cancelled)).to.deep.equal({ assets: [], links: [], undecoded: [] });
  });

  it("sets aside what is no event of the registry, with its topic or without one", () => {
    const topic = keccak256(stringToHex("Something(uint256)"));
    const { assets, links, undecoded } = decodeLogs(registry, [logOf(topic), logOf()]);
    expect([assets, links]).to.deep.equal([[], []]);
    expect(undecoded.map(({ problem }) => problem)).to.deep.equal([
      `no event of the registry has the topic ${topic}`,
      "no event of the registry has the topic undefined",
    ]);
  });
});
