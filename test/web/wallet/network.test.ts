import { expect } from "chai";
import { bringTo, type Chain } from "../../../web/src/wallet/network.ts";
import { coded, fakeWallet } from "./fake-wallet.ts";

const chain: Chain = {
  id: 31_337,
  name: "Test chain",
  nativeCurrency: { name: "Ether", symbol: "ETH", decimals: 18 },
  rpcUrl: "http://127.0.0.1:8545",
  explorerUrl: null,
};

/** A wallet on chain 1; `addsOnly` stays there when it has added another. */
function walletOn({ knows = [1, chain.id], addsOnly = false, lies = false } = {}) {
  let on = 1;
  const known = new Set(knows);
  const added: unknown[] = [];
  const wallet = fakeWallet({
    eth_chainId: () => `0x${on.toString(16)}`,
    wallet_switchEthereumChain([asked]) {
      const id = Number((asked as { chainId: string }).chainId);
      if (!known.has(id)) throw coded(4902, "Unrecognized chain ID");
      if (!lies) on = id;
      return null;
    },
    wallet_addEthereumChain([asked]) {
      added.push(asked);
      known.add(Number((asked as { chainId: string }).chainId));
      if (!addsOnly) on = chain.id;
      return null;
    },
  });
  return { ...wallet, added, on: () => on };
}

const failure = (work: Promise<void>) =>
  work.then(
    () => "none",
    (error) => error.failure,
  );

describe("bringing a wallet to the registry's chain", () => {
  it("asks nothing of a wallet that is there", async () => {
    const { ask, asked } = fakeWallet({ eth_chainId: () => chain.id });
    await bringTo(chain, ask);
    expect(asked).to.deep.equal(["eth_chainId"]);
  });

  it("switches, and adds the chain first where the wallet does not know it", async () => {
    const knowing = walletOn();
    await bringTo(chain, knowing.ask);
    expect(knowing.on()).to.equal(chain.id);
    expect(knowing.added).to.deep.equal([]);
    for (const addsOnly of [false, true]) {
      const unknowing = walletOn({ knows: [1], addsOnly });
      await bringTo(chain, unknowing.ask);
      expect(unknowing.on()).to.equal(chain.id);
      expect(unknowing.added).to.deep.equal([
        {
          chainId: "0x7a69",
          chainName: "Test chain",
          nativeCurrency: chain.nativeCurrency,
          rpcUrls: ["http://127.0.0.1:8545"],
        },
      ]);
    }
  });

  it("says why it could not", async () => {
    expect(await failure(bringTo({ ...chain, rpcUrl: null }, walletOn({ knows: [1] }).ask))).to.equal(
      "UNKNOWN_CHAIN",
    );
    expect(await failure(bringTo(chain, walletOn({ lies: true }).ask))).to.equal("WRONG_CHAIN");
    const { ask } = fakeWallet({
      eth_chainId: () => "0x1",
      wallet_switchEthereumChain() {
        throw coded(4001);
      },
    });
    expect(await failure(bringTo(chain, ask))).to.equal("REJECTED");
    expect(await failure(bringTo(chain, fakeWallet({ eth_chainId: () => "mainnet" }).ask))).to.equal(
      "BAD_ANSWER",
    );
  });
});
