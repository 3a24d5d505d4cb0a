import { expect } from "chai";
import { type TypedDataDomain, TypedDataEncoder, type TypedDataField } from "ethers";
import { type Hex, hashTypedData } from "viem";
import { type Registry, refusalTypedData, walletTypedData } from "../../../domain/asset/typed-data.ts";
import { other } from "../../support/chain/accounts.ts";

const registry: Registry = { chainId: 31_337, address: "0x5FbDB2315678afecb367f032d93F642f64180aa3" };
const SALT: Hex = `0x${"5a".repeat(32)}`;

type AnyTypedData = {
  domain: TypedDataDomain;
  types: Record<string, readonly TypedDataField[]>;
  message: Record<string, unknown>;
};

function ethersHash({ domain, types, message }: AnyTypedData): string {
  const own = Object.fromEntries(Object.entries(types).map(([name, fields]) => [name, [...fields]]));
  return TypedDataEncoder.hash(domain, own, message);
}

describe("what authors sign besides", () => {
  const connection = {
    service: "https://registry.example",
    issuer: "https://id.example",
    user: "user 1",
    token: "one-time",
    expiration: "2026-01-01T00:00:00Z",
  };
  const refusal = { transactionId: "7f9c24e8-3b12-4f5a-9d3e-2b1c0a9f8e7d", asset: SALT };

  it("hashes alike in viem and ethers", () => {
    const refused = refusalTypedData(registry, refusal);
    const connected = walletTypedData(registry, connection);
    expect(hashTypedData(refused)).to.equal(ethersHash(refused));
    expect(hashTypedData(connected)).to.equal(ethersHash(connected));
  });

  it("binds a refusal to its transaction, asset, registry and chain", () => {
    const hashes = [
      refusalTypedData(registry, refusal),
      refusalTypedData({ ...registry, chainId: 1 }, refusal),
      refusalTypedData({ ...registry, address: other.address }, refusal),
      refusalTypedData(registry, { ...refusal, transactionId: "another" }),
      refusalTypedData(registry, { ...refusal, asset: `0x${"00".repeat(32)}` }),
    ].map((data) => hashTypedData(data));
    expect(new Set(hashes).size).to.equal(hashes.length);
  });

  it("binds a wallet's connection to each of its words, registry and chain", () => {
    const hashes = [
      walletTypedData(registry, connection),
      walletTypedData({ ...registry, chainId: 1 }, connection),
      walletTypedData({ ...registry, address: other.address }, connection),
      ...Object.keys(connection).map((word) =>
        walletTypedData(registry, { ...connection, [word]: "another" }),
      ),
    ].map((data) => hashTypedData(data));
    expect(new Set(hashes).size).to.equal(hashes.length);
  });

  it("is never of the type that an id is the digest of", () => {
    expect(Object.keys(refusalTypedData(registry, refusal).types)).to.deep.equal(["Refusal"]);
    expect(Object.keys(walletTypedData(registry, connection).types)).to.deep.equal(["WalletConnection"]);
  });
});
