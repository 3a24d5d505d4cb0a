import { expect } from "chai";
import { texts } from "../../../web/src/texts/texts.ts";
import { readWalletError, WalletError } from "../../../web/src/wallet/wallet-error.ts";
import { coded } from "./fake-wallet.ts";

describe("errors of wallets", () => {
  const cases: [string, unknown, WalletError["failure"]][] = [
    ["a refusal", coded(4001, "User rejected the request."), "REJECTED"],
    ["a refusal that ethers names", coded("ACTION_REJECTED", "x"), "REJECTED"],
    [
      "a refusal without a code",
      new Error("MetaMask Tx Signature: User denied transaction signature."),
      "REJECTED",
    ],
    ["a text", "Popup closed", "REJECTED"],
    ["a connection that broke", new Error("socket closed"), "OTHER"],
    ["an open prompt", coded(-32002, "Request already pending"), "PROMPT_OPEN"],
    ["an account that is not shared", coded(4100), "NOT_CONNECTED"],
    ["a missing method", coded(-32601), "UNSUPPORTED"],
    ["a chain that does not answer", coded(4900), "DISCONNECTED"],
    ["an unknown chain", coded(4902), "UNKNOWN_CHAIN"],
    [
      "an unknown chain inside an internal error",
      coded(-32603, "Internal", {
        data: { originalError: { code: 4902, message: "Unrecognized chain ID" } },
      }),
      "UNKNOWN_CHAIN",
    ],
    ["an unknown chain in words alone", coded(-32603, 'Unrecognized chain ID "0x1".'), "UNKNOWN_CHAIN"],
    ["an account without funds", coded(-32000, "insufficient funds for gas * price + value"), "NO_FUNDS"],
    [
      "a cause under the words of a library",
      Object.assign(new Error("Something", { cause: coded(-32002, "pending") }), { code: 4001 }),
      "PROMPT_OPEN",
    ],
    ["whatever else", coded(-32603, "Internal JSON-RPC error."), "OTHER"],
    ["nothing", undefined, "OTHER"],
  ];
  for (const [name, thrown, failure] of cases) {
    it(`tell ${name}`, () => {
      expect(readWalletError(thrown).failure).to.equal(failure);
    });
  }

  it("keep their words, bounded, and end with themselves", () => {
    const known = new WalletError("WRONG_CHAIN");
    expect(readWalletError(known)).to.equal(known);
    expect(readWalletError(coded(1, "x".repeat(1e6))).said).to.have.length(2_000);
    const circle = coded(1, "round");
    circle.cause = circle;
    expect(readWalletError(circle)).to.include({ failure: "OTHER", said: "round" });
  });

  it("each have words and a next step", () => {
    for (const { title, next } of Object.values(texts.wallet.failures)) {
      expect(title).to.match(/^[A-Z].+[^.]$/);
      expect(next).to.match(/^[A-Z].+\.$/);
    }
  });
});
