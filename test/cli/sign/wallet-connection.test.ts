import { registryAddress } from "asset-registry-proof";
import { expect } from "chai";
import { verifyTypedData } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import type { Io } from "../../../cli/src/io.ts";
import type { Signer } from "../../../cli/src/sign/signer.ts";
import { signConnection } from "../../../cli/src/sign/wallet-connection.ts";
import { walletTypedData } from "../../../domain/asset/typed-data.ts";

const privateKey = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";
const { address } = privateKeyToAccount(privateKey);
const connection = {
  ...{ service: "https://registry.example", issuer: "https://login.example", user: "alice" },
  ...{ token: "0b6f", expiration: "2026-11-28T02:10:45.000+00:00" },
};
const typedData = walletTypedData({ chainId: 5, address: registryAddress }, connection);

describe("the connection of a wallet", () => {
  const signer: Signer = {
    key: { address, privateKey: Buffer.from(privateKey.slice(2), "hex") },
    ...{ registry: registryAddress, chain: 5, mostWei: 0n, yes: false, rpc: [] },
  };
  const sign = async (typed: unknown, answer = "yes", { yes = false, url = connection.service } = {}) => {
    let said = "";
    const io = {
      stderr: { write: (text: string) => (said += text) },
      ask: async () => answer,
    } as unknown as Io; // the rest is not used
    const outcome = await signConnection(
      typeof typed === "string" ? typed : JSON.stringify(typed),
      url,
      { ...signer, yes },
      io,
    ).catch((error) => error);
    return { said, outcome };
  };

  it("is shown, confirmed and signed as the service verifies it", async () => {
    const { said, outcome } = await sign(typedData);
    for (const text of Object.values(connection)) expect(said).to.contain(text);
    expect(await verifyTypedData({ ...typedData, address, signature: outcome } as never)).to.equal(true);
  });

  it("is signed in its own form alone, whatever types the service says", async () => {
    const disguised = {
      ...typedData,
      primaryType: "Permit",
      types: { Permit: [{ name: "token", type: "address" }] },
    };
    const { outcome } = await sign(disguised);
    expect(await verifyTypedData({ ...typedData, address, signature: outcome } as never)).to.equal(true);
  });

  it("is signed for another service than the one that was asked only where somebody looks", async () => {
    const url = "https://other.example/registry";
    const { said, outcome } = await sign(typedData, "yes", { url });
    expect(said).to.contain(
      "Warning: It connects you to https://registry.example, and you asked https://other.example.",
    );
    expect(outcome).to.match(/^0x/);
    const unseen = await sign(typedData, "", { url, yes: true });
    expect(unseen.outcome).to.include({ code: "another-service", exitCode: 2 });
    const own = await sign(typedData, "", { url: "https://registry.example/v1", yes: true });
    expect(own.outcome).to.match(/^0x/);
    expect(own.said).to.not.contain("Warning");
  });

  for (const [what, typed] of [
    ["no JSON", "{"],
    ["nothing", "null"],
    ["another statement", { ...typedData, message: { ...typedData.message, statement: "I owe you." } }],
    ["a text missing", { ...typedData, message: { ...typedData.message, user: undefined } }],
    ["another chain", { ...typedData, domain: { ...typedData.domain, chainId: 1 } }],
    ["no chain", { ...typedData, domain: {} }],
  ] as const) {
    it(`is refused with ${what}`, async () => {
      expect((await sign(typed)).outcome).to.have.property("code", "not-as-asked");
    });
  }

  it("is not signed without a yes", async () => {
    expect((await sign(typedData, "no")).outcome).to.have.property("code", "not-confirmed");
  });
});
