import { expect } from "chai";
import { recoverTypedDataAddress } from "viem";
import { forWallets } from "../../../../api/transactions/typed-data-json.ts";
import { walletTypedData } from "../../../../domain/asset/typed-data.ts";
import { checkConnection } from "../../../../web/src/pages/wallets/rules/check-connection.ts";
import { owner } from "../../../support/chain/accounts.ts";
import { connection, registry } from "./connection.ts";

const known = {
  registry,
  service: connection.service,
  issuer: connection.issuer,
  isMe: (user: string): boolean => user === "alice",
};

/** What the service asks for, with a change of the test's own. */
function asked(change: (data: ReturnType<typeof forWallets>) => unknown = (data) => data): string {
  return JSON.stringify(change(forWallets(walletTypedData(registry, connection))));
}
const found = (serialized: string, of: Partial<typeof known> = {}) => {
  const checked = checkConnection(serialized, { ...known, ...of });
  return "mismatch" in checked ? checked.mismatch : undefined;
};

describe("what the service wants signed to connect a wallet", () => {
  it("is put together anew, the same as its own", async () => {
    const checked = checkConnection(asked(), known);
    if ("mismatch" in checked) throw new Error(checked.mismatch);
    expect(checked.data).to.deep.equal(JSON.parse(asked()));
    const own = walletTypedData(registry, connection);
    const signature = await owner.signTypedData(checked.data as never);
    expect(await recoverTypedDataAddress({ ...own, signature })).to.equal(owner.address);
  });

  it("is taken with its members in any order, and with its address in any case", () => {
    const turned = asked(({ domain, ...data }) => ({
      ...Object.fromEntries(Object.entries(data).toReversed()),
      domain: { ...domain, verifyingContract: registry.address.toLowerCase() },
    }));
    expect(found(turned)).to.equal(undefined);
  });

  it("is refused for another chain, contract, service, issuer or user", () => {
    expect(found(asked(), { registry: { ...registry, chainId: 1 } as never })).to.equal("CHAIN");
    expect(found(asked(), { registry: { ...registry, address: owner.address } as never })).to.equal(
      "REGISTRY",
    );
    expect(found(asked(), { service: "https://other.example" })).to.equal("SERVICE");
    expect(found(asked(), { issuer: "https://id.example" })).to.equal("USER");
    expect(found(asked(), { isMe: () => false })).to.equal("USER");
  });

  it("is refused with any other word or member, and where it is no typed data", () => {
    for (const change of [
      { primaryType: "Permit" },
      { types: {} },
      { message: { ...connection, statement: "I give you everything." } },
      { message: { ...connection } },
      { more: true },
      { domain: { ...walletTypedData(registry, connection).domain, salt: "0x00" } },
    ]) {
      expect(found(asked((data) => ({ ...data, ...change }))), JSON.stringify(change)).to.equal("WORDS");
    }
    for (const text of ["", "{", "null", "[]", "5", '{"message": null}', '{"message": {"user": 5}}']) {
      expect(found(text), text).to.equal("UNREADABLE");
    }
  });
});
