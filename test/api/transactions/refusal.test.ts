import { expect } from "chai";
import { keccak256 } from "viem";
import { expectError } from "../../support/api.ts";
import { other } from "../../support/chain/accounts.ts";
import { useSigning } from "../../support/rigs/signing-rig.ts";
import { compact, malleable, signAs } from "../../support/sign.ts";

describe("POST /transactions/{transactionId}/revoke", () => {
  const signing = useSigning();
  const { toSign, submit, submitRaw, refuse, signRefusal, requestAsset, stored, send } = signing;
  const nonceOf = async (address: string) =>
    Number(await signing.anvil.rpc<string>("eth_getTransactionCount", [address, "latest"]));

  it("ends the request by the author's signature, and is the same success again", async () => {
    const { api, id, assetId } = signing;
    const signature = await signRefusal();
    const signUrl = `https://registry.example/console/sign/${id}`;
    const outcome = { id: assetId, transactionId: id, signUrl, state: "RevokedByUser" };
    const first = await refuse(signature);
    expect(first.status).to.equal(200);
    expect(first.value).to.deep.equal(outcome);
    expect((await refuse(signature)).value).to.deep.equal(outcome);
    expect((await api.get(`/assets/${assetId}/status`)).value).to.include({ reason: "REFUSED" });
  });

  it("takes v as 0 or 1, and the compact form", async () => {
    const signature = await signRefusal();
    const v = signature.endsWith("1b") ? "00" : "01";
    expect((await refuse(`${signature.slice(0, -2)}${v}`)).status).to.equal(200);
    expect((await refuse(compact(signature))).status).to.equal(200);
  });

  it("refuses a malleable copy, zero bytes and broken lengths", async () => {
    const signature = await signRefusal();
    const before = await stored();
    for (const broken of [
      malleable(signature),
      `0x${"00".repeat(65)}`,
      signature.slice(0, -4),
      `${signature}00`,
      `${signature.slice(0, -2)}1d`,
      "0x00",
    ]) {
      expectError(await refuse(broken), 422, "SIGNATURE_INVALID");
    }
    for (const value of ["", "0x", "0x0", signature.slice(2), 5, null]) {
      expectError(await refuse(value), 400, "INVALID_REQUEST");
    }
    expect(await stored()).to.equal(before);
  });

  it("refuses the signature of somebody else, and one for another transaction", async () => {
    const { message } = expectError(await refuse(await signRefusal(other)), 422, "SIGNATURE_INVALID");
    expect(message).to.contain(other.address);
    const another = await requestAsset();
    expectError(await refuse(await signRefusal(), another.transactionId), 422, "SIGNATURE_INVALID");
  });

  it("comes too late once the change is on the chain", async () => {
    const { facts, id } = signing;
    const signature = await signRefusal();
    await facts.create(id);
    expectError(await refuse(signature), 409, "TRANSACTION_CLOSED");
  });

  it("comes too late once a block has its transaction, though the index does not know yet", async () => {
    const signature = await signRefusal();
    const raw = await signAs(signing.author, await toSign());
    await submitRaw(raw);
    const before = await stored();
    await send(raw);
    const { message } = expectError(await refuse(signature), 409, "TRANSACTION_CLOSED");
    expect(message).to.contain(keccak256(raw));
    expect(await stored()).to.equal(before);
  });

  it("is not stopped by a hash that somebody reported, though a block has that transaction", async () => {
    const raw = await signAs(other, { ...(await toSign()), nonce: await nonceOf(other.address) });
    const transactionHash = await send(raw);
    await submit({ transactionHash });
    expect((await refuse(await signRefusal())).value.state).to.equal("RevokedByUser");
  });

  it("still ends a request whose transaction is signed, and closes it for more", async () => {
    const { author } = signing;
    const raw = await signAs(author, await toSign());
    await submitRaw(raw);
    const other = await signAs(author, await toSign(), { nonce: 77 });
    expect((await refuse(await signRefusal())).value.state).to.equal("RevokedByUser");
    expectError(await submitRaw(other), 409, "TRANSACTION_CLOSED");
  });
});
