import { readFileSync } from "node:fs";
import { expect } from "chai";
import { encodeFunctionData, size } from "viem";
import { detailFields, mapDetails } from "../../domain/asset/asset.ts";
import { limits, registryTextBytes } from "../../domain/limits.ts";
import { registryAbi } from "../../domain/registry/abi.ts";

const ID = `0x${"ff".repeat(32)}` as const;
const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

/** The call that creates an asset whose texts are as long as they may be. */
const longestCreation = (letter: string) => ({
  details: mapDetails((field) => letter.repeat(limits.text[field])),
  get calldata() {
    return encodeFunctionData({ abi: registryAbi, functionName: "createAsset", args: [ID, this.details] });
  },
});

describe("the limits", () => {
  it("name every text of an asset and nothing else", () => {
    expect(Object.keys(limits.text)).to.have.members([...detailFields]);
  });

  it("are those of the contract, which has four bytes for each code point", () => {
    const source = readFileSync(new URL("../../contracts/AssetRegistry.sol", import.meta.url), "utf8");
    const constants = new Map(
      [...source.matchAll(/uint256 private constant (_MAX_\w+_BYTES) = ([\d_]+);/g)].map(
        ([, name = "", digits = ""]) => [name, Number(digits.replaceAll("_", ""))],
      ),
    );
    const checked = [...source.matchAll(/_hashText\(AssetText\.\w+, details\.(\w+), (\w+)\)/g)].map(
      ([, field = "", constant = ""]) => [field, constants.get(constant)],
    );
    expect(Object.fromEntries(checked)).to.deep.equal(registryTextBytes);
    for (const field of detailFields) {
      expect(registryTextBytes[field], field).to.be.at.least(4 * limits.text[field]);
    }
  });

  it("let a creation through whose texts are all as long as they may be, in ASCII", () => {
    const { details, calldata } = longestCreation("a");
    expect(bytesOf({ author: ID, ...details })).to.be.below(limits.bodyBytes);
    expect(size(calldata)).to.be.below(limits.calldataBytes);
  });

  it("stop such a creation in four-byte letters by the size of its call, not by the chain", () => {
    expect(size(longestCreation("😀").calldata)).to.be.above(limits.calldataBytes);
  });

  it("let the largest call through when it is signed and handed in as hex", () => {
    // Nonce, fees, gas, address, chain and signature of an EIP-1559 transaction take less than this.
    const envelope = 512;
    const signed = limits.calldataBytes + envelope;
    expect(signed).to.be.at.most(limits.signedTransactionBytes);
    const body = {
      signedTransaction: `0x${"ff".repeat(signed)}`,
      signerAddress: ID,
      description: "😀".repeat(limits.note),
    };
    expect(bytesOf(body)).to.be.below(limits.bodyBytes);
  });

  it("keep the largest call within what one transaction may cost: EIP-7825", () => {
    // The minimum price of data (EIP-7623), where no byte is zero, is more than it costs to create the asset.
    expect(21_000 + 40 * limits.calldataBytes).to.be.at.most(16_777_216);
  });

  it("keep a signed transaction within what nodes relay: 128 KiB", () => {
    expect(limits.signedTransactionBytes).to.be.at.most(131_072);
  });

  it("let as many targets through as may be named", () => {
    const targets = Array.from({ length: limits.targets }, () => ID);
    const calldata = encodeFunctionData({ abi: registryAbi, functionName: "link", args: [ID, targets] });
    expect(size(calldata)).to.be.below(limits.calldataBytes);
    expect(bytesOf({ targetAssetIds: targets })).to.be.below(limits.bodyBytes);
  });

  it("let a file size through up to that of the largest unsigned 64-bit number", () => {
    expect(String(2n ** 64n - 1n)).to.have.lengthOf(limits.text.fileSize);
  });

  it("let the longest hash that the product knows through, in hex with 0x", () => {
    expect(2 + 64 * 2).to.be.below(limits.text.hash);
  });

  it("give a page no more by default than it may have", () => {
    expect(limits.page.default).to.be.within(1, limits.page.max);
  });
});
