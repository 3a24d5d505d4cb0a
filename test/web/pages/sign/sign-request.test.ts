import { expect } from "chai";
import { signRequest } from "../../../../web/src/pages/sign/rules/sign-request.ts";
import { other } from "../../../support/chain/accounts.ts";
import { fakeWallet } from "../../wallet/fake-wallet.ts";
import { testChain as chain } from "../../wallet/test-chain.ts";
import { asked, registry } from "./asked.ts";

const hash = `0x${"a1".repeat(32)}`;

/** Runs it with a wallet on the author's account that answers as the test says. */
async function run(
  way: Parameters<typeof signRequest>[0],
  answers: Parameters<typeof fakeWallet>[0] = {},
  request = asked(),
) {
  const wallet = fakeWallet({
    eth_accounts: () => [request.signer],
    eth_chainId: () => registry.chainId,
    eth_sendTransaction: () => hash,
    eth_signTypedData_v4: () => "0xabcdef",
    ...answers,
  });
  const steps: string[] = [];
  const outcome = await signRequest(way, {
    signer: asked().signer,
    chain,
    registry,
    connect: async () => wallet.ask,
    read: async () => request,
    onStep: (step) => void steps.push(step),
  }).catch((error) => error.failure ?? error.obstacle ?? error);
  const signings = wallet.asked.filter((method) => method.startsWith("eth_s"));
  return { outcome, steps, signings, ...wallet };
}

describe("leading a wallet to the author's answer", () => {
  it("connects, brings it to the chain, reads anew, and asks once", async () => {
    const { outcome, steps, signings } = await run("send");
    expect(outcome).to.deep.equal({ answer: { way: "send", transactionHash: hash }, isOtherCall: false });
    expect(steps).to.deep.equal(["connect", "network", "read", "ask"]);
    expect(signings).to.deep.equal(["eth_sendTransaction"]);
  });

  it("signs typed data where the service pays, and to refuse", async () => {
    for (const way of ["gasless", "refuse"] as const) {
      const { outcome, given } = await run(way);
      expect(outcome).to.deep.equal({ answer: { way, signature: "0xabcdef" }, isOtherCall: false });
      const signed = JSON.parse(String(given.get("eth_signTypedData_v4")?.[1]));
      expect(signed).to.deep.equal(way === "gasless" ? asked().gasless : asked().refusal);
    }
  });

  it("asks for no signature where anything is wrong", async () => {
    const wrong: [Awaited<ReturnType<typeof run>>, string][] = [
      [await run("send", { eth_accounts: () => [other.address] }), "WRONG_ACCOUNT"],
      [await run("send", { eth_accounts: () => [] }), "NOT_CONNECTED"],
      [await run("send", { eth_chainId: () => 1, wallet_switchEthereumChain: () => null }), "WRONG_CHAIN"],
      [await run("send", {}, asked("create", { value: "0x1" })), "VALUE"],
      [await run("send", {}, asked("create", { state: "Submitted" })), "CLOSED"],
      [await run("send", {}, asked("create", { to: null, data: null, value: null })), "CLOSED"],
      [await run("gasless", {}, asked("create", { gasless: null })), "NOT_OFFERED"],
    ];
    for (const [{ outcome, signings }, expected] of wrong) {
      expect(outcome).to.equal(expected);
      expect(signings).to.deep.equal([]);
    }
  });

  it("notices a wallet that sends something else", async () => {
    const drained = { from: asked().signer, to: other.address, input: "0x" };
    const { outcome } = await run("send", { eth_getTransactionByHash: () => drained });
    expect(outcome).to.have.property("isOtherCall", true);
  });
});
