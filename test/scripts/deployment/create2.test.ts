import { expect } from "chai";
import { getCreateAddress, Transaction } from "ethers";
import hardhat from "hardhat";
import assetRegistry from "../../../ignition/modules/AssetRegistry.ts";
import { compiledPin } from "../../../scripts/contracts/pin-registry.ts";
import { FACTORY, FACTORY_CODE, FACTORY_CREATION } from "../../../scripts/deployment/create2.ts";

describe("the factory's creation", () => {
  it("is signed for every chain by an account that nobody holds, and gives the factory its address", () => {
    const { from, hash, chainId, gasPrice, gasLimit, to, nonce } = Transaction.from(FACTORY_CREATION.raw);
    expect({ from, hash, chainId, to, nonce }).to.deep.equal({
      from: FACTORY_CREATION.signer,
      hash: FACTORY_CREATION.hash,
      chainId: 0n,
      to: null,
      nonce: 0,
    });
    expect(gasPrice).to.equal(FACTORY_CREATION.gasPrice);
    expect((gasPrice ?? 0n) * gasLimit).to.equal(FACTORY_CREATION.costs);
    expect(getCreateAddress({ from: FACTORY_CREATION.signer, nonce })).to.equal(FACTORY);
    expect(FACTORY_CREATION.raw).to.include(FACTORY_CODE.slice(2));
  });
});

describe("ignition/modules/AssetRegistry.ts", () => {
  it("deploys to the address that `npm run deploy` gives", async () => {
    const connection = await hardhat.network.create();
    try {
      await connection.provider.request({ method: "hardhat_setCode", params: [FACTORY, FACTORY_CODE] });
      const { registry } = await connection.ignition.deploy(assetRegistry);
      expect(await registry.getAddress()).to.equal((await compiledPin()).address);
      const domain = await registry.getFunction("eip712Domain").staticCall();
      expect(domain.verifyingContract).to.equal(registry.target);
    } finally {
      await connection.close();
    }
  });
});
