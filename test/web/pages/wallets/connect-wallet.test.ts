import { expect } from "chai";
import { forWallets } from "../../../../api/transactions/typed-data-json.ts";
import { walletTypedData } from "../../../../domain/asset/typed-data.ts";
import { connectWallet } from "../../../../web/src/pages/wallets/rules/connect-wallet.ts";
import { other, owner } from "../../../support/chain/accounts.ts";
import { coded, fakeWallet } from "../../wallet/fake-wallet.ts";
import { testChain as chain } from "../../wallet/test-chain.ts";
import { connection, registry } from "./connection.ts";

/** Runs it with a wallet on the owner's account that answers as the test says. */
async function run(
  answers: Parameters<typeof fakeWallet>[0] = {},
  { mine = [], service = connection.service }: { mine?: string[]; service?: string } = {},
) {
  const wallet = fakeWallet({
    eth_accounts: () => [owner.address.toLowerCase()],
    eth_chainId: () => registry.chainId,
    eth_signTypedData_v4: () => "0xabcdef",
    ...answers,
  });
  const steps: string[] = [];
  const confirmed: unknown[] = [];
  const outcome = await connectWallet({
    chain,
    known: { registry, service, issuer: connection.issuer, isMe: (user) => user === "alice" },
    mine,
    connect: async () => wallet.ask,
    start: async () => ({
      id: "the-id",
      serializedValue: JSON.stringify(forWallets(walletTypedData(registry, connection))),
    }),
    async confirm(id, confirmation) {
      confirmed.push([id, confirmation]);
      return { id, name: "", description: "", ethereumAddress: owner.address };
    },
    onStep: (step) => void steps.push(step),
  }).catch((error) => error.failure ?? error.obstacle ?? error);
  return { outcome, steps, confirmed, ...wallet };
}

describe("connecting a wallet", () => {
  it("has the selected account sign, and hands the signature in", async () => {
    const { outcome, steps, confirmed, given } = await run();
    expect(outcome).to.include({ id: "the-id" });
    expect(steps).to.deep.equal(["connect", "network", "start", "ask", "confirm"]);
    const account = owner.address.toLowerCase();
    expect(confirmed).to.deep.equal([["the-id", { ethereumAddress: account, signature: "0xabcdef" }]]);
    expect(given.get("eth_signTypedData_v4")?.[0]).to.equal(account);
  });

  it("asks for no signature where anything is wrong", async () => {
    let looks = 0;
    const changing = () => [(looks++ === 0 ? owner : other).address];
    const wrong: [Awaited<ReturnType<typeof run>>, string][] = [
      [await run({}, { mine: [owner.address] }), "ALREADY"],
      [await run({}, { service: "https://other.example" }), "SERVICE"],
      [await run({ eth_accounts: () => [] }), "NOT_CONNECTED"],
      [await run({ eth_accounts: changing }), "WRONG_ACCOUNT"],
      [await run({ eth_chainId: () => 1, wallet_switchEthereumChain: () => null }), "WRONG_CHAIN"],
    ];
    for (const [{ outcome, asked, confirmed }, obstacle] of wrong) {
      expect(outcome).to.equal(obstacle);
      expect(asked, obstacle).not.to.include("eth_signTypedData_v4");
      expect(confirmed).to.deep.equal([]);
    }
  });

  it("hands in nothing that was not signed", async () => {
    const refused = () => {
      throw coded(4001);
    };
    expect((await run({ eth_signTypedData_v4: refused })).confirmed).to.deep.equal([]);
    expect(await run({ eth_signTypedData_v4: () => "no" })).to.deep.include({
      outcome: "BAD_ANSWER",
      confirmed: [],
    });
  });
});
