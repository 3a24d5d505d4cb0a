import { expect } from "chai";
import { encodeFunctionData, type Hex, numberToHex } from "viem";
import { registryAbi } from "../../../domain/registry/abi.ts";
import { registryAddress, verifyDocument } from "../../../proof/src/proof.ts";
import { owner } from "../../support/chain/accounts.ts";
import { type RegistryChain, takeRegistryChain } from "../../support/chain/registry-chain.ts";
import { proofFromNode, type Rpc } from "../../support/proof/node-proof.ts";
import { someAsset } from "../../support/proof/world.ts";

const [assets, inOneCall] = [10_000, 100];

describe("a proof of one of ten thousand assets", () => {
  let chain: RegistryChain;
  before(async () => {
    chain = await takeRegistryChain();
  });
  after(() => chain?.release());

  it("has at most 12 kB", async () => {
    const { anvil } = chain;
    const rpc: Rpc = (method, params) => anvil.rpc(method, params);
    const one = someAsset(owner.address, {
      ...{
        name: "Purchase agreement",
        fileName: "agreement.pdf",
        fileType: "application/pdf",
        fileSize: "123456",
      },
      ...{ method: "SHA-256", hash: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" },
    });
    const salted = (at: number) => ({ ...one, salt: numberToHex(at, { size: 32 }) });
    const creation = (at: number) =>
      encodeFunctionData({
        abi: registryAbi,
        functionName: "createAsset",
        args: [salted(at).salt, one.details],
      });
    for (let from = 0; from < assets; from += inOneCall) {
      const calls = Array.from({ length: inOneCall }, (_, at) => creation(from + at));
      const data = encodeFunctionData({ abi: registryAbi, functionName: "multicall", args: [calls] });
      const transaction = { from: owner.address, to: registryAddress, data, gas: "0x1000000" };
      const hash = await anvil.rpc<Hex>("eth_sendTransaction", [transaction]);
      expect((await anvil.receipt(hash)).status).to.equal("0x1");
    }
    const sizes: number[] = [];
    for (let at = 0; at < assets; at += 500) {
      const proof = await proofFromNode(rpc, {
        chainId: 31_337,
        registry: registryAddress,
        asset: salted(at),
      });
      const text = JSON.stringify(proof);
      expect(
        verifyDocument(text, { block: { hash: proof.block.hash, source: "the chain" } }).verdict,
      ).to.equal("valid");
      sizes.push(Buffer.byteLength(text));
    }
    console.log(`      ${Math.min(...sizes)} to ${Math.max(...sizes)} bytes`);
    expect(Math.max(...sizes)).to.be.at.most(12_000);
  }).timeout(300_000);
});
