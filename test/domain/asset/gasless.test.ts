import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { keccak256, toHex } from "viem";
import { gaslessCall, linkNonceKeyOf, linkNonceOf } from "../../../domain/asset/gasless.ts";
import { owner } from "../../support/chain/accounts.ts";

describe("the nonce of a link change", () => {
  const id = "ddc3911c-090c-4831-a37d-48a6dab94ae5";

  it("is the first of a key that is a hash of the request's id, for this purpose alone", () => {
    const digest = keccak256(toHex(`Asset Registry: nonce of link change ${id}`));
    expect(toHex(linkNonceOf(id), { size: 32 })).to.equal(`${digest.slice(0, 50)}${"0".repeat(16)}`);
    expect(linkNonceKeyOf(linkNonceOf(id))).to.equal(BigInt(digest.slice(0, 50)));
  });

  it("is another one for each request", () => {
    const nonces = new Set(Array.from({ length: 1_000 }, () => linkNonceOf(randomUUID())));
    expect(nonces.size).to.equal(1_000);
  });

  it("does not let the call tell the id, which opens the transaction to whoever knows it", () => {
    const digits = id.replaceAll("-", "");
    const call = (linkNonce: bigint) =>
      gaslessCall(
        {
          author: owner.address,
          assetId: keccak256("0x01"),
          registry: { chainId: 1, address: owner.address },
          change: { kind: "link", targets: [{ child: keccak256("0x02") }] },
          linkNonce,
          expiresAt: new Date(),
        },
        "0x00",
      );
    expect(call(linkNonceOf(id))).not.to.include(digits);
    expect(call(BigInt(`0x${digits}`)), "where the nonce holds it").to.include(digits);
  });
});
