import { expect } from "chai";
import { chooseAccount, sendCall, sentOtherCall, signTyped } from "../../../web/src/wallet/ask.ts";
import { WalletError, type WalletFailure } from "../../../web/src/wallet/wallet-error.ts";
import { coded, fakeWallet } from "./fake-wallet.ts";

const signer = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
const other = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
const call = { to: other, data: "0xabcd", value: "0x0", gas: "0x5208" } as const;
const hash = `0x${"a1".repeat(32)}` as const;

const walletOf = (answers: Parameters<typeof fakeWallet>[0] = {}) =>
  fakeWallet({ eth_accounts: () => [signer.toLowerCase()], eth_chainId: () => "0x7a69", ...answers });
const failure = (work: Promise<unknown>) =>
  work.then(
    () => "none",
    (error) => error.failure,
  );

describe("asking a wallet to sign", () => {
  it("sends the call with the chain's number, and neither nonce nor fees", async () => {
    const { ask, given } = walletOf({ eth_sendTransaction: () => hash.toUpperCase().replace("X", "x") });
    expect(await sendCall(ask, signer, 31_337, call)).to.equal(hash);
    const transaction = { from: signer, ...call, chainId: "0x7a69" };
    expect(given.get("eth_sendTransaction")).to.deep.equal([transaction]);
    await sendCall(ask, signer, 31_337, { ...call, gas: null });
    expect(given.get("eth_sendTransaction")?.[0]).not.to.have.property("gas");
  });

  it("asks nothing while account or chain are not the right ones", async () => {
    const wrong = [
      [{ eth_accounts: () => [other] }, "WRONG_ACCOUNT"],
      [{ eth_accounts: () => [] }, "NOT_CONNECTED"],
      [{ eth_accounts: () => null }, "NOT_CONNECTED"],
      [{ eth_chainId: () => "0x1" }, "WRONG_CHAIN"],
    ] as const;
    for (const [answers, expected] of wrong) {
      const { ask, asked } = walletOf(answers);
      expect(await failure(sendCall(ask, signer, 31_337, call))).to.equal(expected);
      const data = { domain: {}, types: {}, primaryType: "T", message: {} };
      expect(await failure(signTyped(ask, signer, 31_337, data))).to.equal(expected);
      expect(asked.filter((method) => method.startsWith("eth_s"))).to.deep.equal([]);
    }
  });

  it("has the user choose among accounts only where the wanted one is not shared", async () => {
    const shares = async (shared: string[], refusal?: WalletFailure) => {
      const { ask, asked } = walletOf({
        wallet_requestPermissions() {
          if (refusal !== undefined) throw new WalletError(refusal);
          return [];
        },
      });
      return [await failure(chooseAccount(ask, signer, shared)), asked.length];
    };
    expect(await shares([other, signer.toLowerCase()])).to.deep.equal(["none", 0]);
    expect(await shares([other])).to.deep.equal(["none", 1]);
    expect(await shares([other], "UNSUPPORTED")).to.deep.equal(["none", 1]);
    expect(await shares([other], "REJECTED")).to.deep.equal(["REJECTED", 1]);
  });

  it("takes no answer for a hash or a signature that is none", async () => {
    for (const answer of [null, "", "0x", "0xabc", `${hash}00`, { hash }]) {
      const { ask } = walletOf({ eth_sendTransaction: () => answer });
      expect(await failure(sendCall(ask, signer, 31_337, call))).to.equal("BAD_ANSWER");
    }
    const data = { domain: {}, types: {}, primaryType: "T", message: { amount: 12n } };
    const { ask } = walletOf({
      eth_signTypedData_v4: ([, text]) => (String(text).includes('"12"') ? "0x0" : 1),
    });
    expect(await failure(signTyped(ask, signer, 31_337, data))).to.equal("BAD_ANSWER");
  });

  it("signs typed data by the author's account", async () => {
    const { ask, given } = walletOf({ eth_signTypedData_v4: () => "0xabcdef" });
    const data = { domain: { chainId: 1 }, types: {}, primaryType: "T", message: { amount: 12n } };
    expect(await signTyped(ask, signer, 31_337, data)).to.equal("0xabcdef");
    const text = JSON.stringify({ ...data, message: { amount: "12" } });
    expect(given.get("eth_signTypedData_v4")).to.deep.equal([signer, text]);
  });

  it("notices another call than the one that was asked for", async () => {
    const sent = (transaction: unknown) =>
      sentOtherCall(walletOf({ eth_getTransactionByHash: () => transaction }).ask, hash, signer, call);
    expect(await sent({ from: signer.toLowerCase(), to: other.toLowerCase(), input: "0xABCD" })).to.equal(
      false,
    );
    expect(await sent({ from: signer, to: signer, input: "0xabcd" })).to.equal(true);
    expect(await sent({ from: signer, to: other, input: "0x" })).to.equal(true);
    expect(await sent({ from: signer, to: null, input: "0xabcd" })).to.equal(true);
    expect(await sent({ from: other, to: signer, input: "0x" })).to.equal(undefined);
    expect(await sent(null)).to.equal(undefined);
    const { ask } = walletOf({
      eth_getTransactionByHash() {
        throw coded(-32603);
      },
    });
    expect(await sentOtherCall(ask, hash, signer, call)).to.equal(undefined);
  });
});
