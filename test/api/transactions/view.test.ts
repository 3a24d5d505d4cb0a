import { expect } from "chai";
import { numberToHex } from "viem";
import { expectError, keys } from "../../support/api.ts";
import { useSigning } from "../../support/rigs/signing-rig.ts";
import { signAs } from "../../support/sign.ts";

describe("GET /transactions/{transactionId}", () => {
  const signing = useSigning();
  const { newAuthor, read, toSign, submit, refuse, signRefusal, requestAsset } = signing;

  it("needs nothing but the id, and says in words and in bytes what is signed", async () => {
    const { api, id, assetId, author } = signing;
    const { status, value } = await read();
    expect(status).to.equal(200);
    expect(value).to.include({
      id,
      signUrl: `https://registry.example/console/sign/${id}`,
      assetId,
      kind: "create",
      requestedBy: "tenant-a",
      state: "Received",
      signer: author.address,
      to: api.registry.address,
      value: "0x0",
      chainId: 31_337,
      warning: null,
    });
    expect(value.call).to.have.nested.property("arguments.details.name", "Lease");
    expect(value.call.function).to.equal("createAsset");
    expect(value.summary).to.contain(author.address).and.contain('"Lease"').and.contain("chain 31337");
    for (const field of ["gas", "maxFeePerGas", "maxPriorityFeePerGas", "gasPrice"]) {
      expect(value[field]).to.match(/^0x[1-9a-f][0-9a-f]*$/);
    }
    expect(BigInt(value.maxFeePerGas) >= BigInt(value.maxPriorityFeePerGas)).to.equal(true);
    expect(value.history).to.have.length(1);
    expect(Date.parse(value.expiresAt) - Date.parse(value.createdAt)).to.equal(604_800_000);
  });

  it("can be signed as it stands, and the chain makes that very asset of it", async () => {
    const { anvil, assetId, author } = signing;
    const raw = await signAs(author, await toSign());
    const receipt = await anvil.receipt(await anvil.rpc("eth_sendRawTransaction", [raw]));
    expect(receipt.status).to.equal("0x1");
    expect(receipt.logs[0]?.topics[1]).to.equal(assetId);
  });

  it("warns in words where the registry would refuse the call now", async () => {
    const { anvil, assetId, author } = signing;
    await anvil.rpc("eth_sendRawTransaction", [await signAs(author, await toSign())]);
    const { value } = await read();
    expect(value.gas).to.equal(null);
    expect(value.warning).to.equal(
      `The registry would refuse this call: the asset ${assetId} is on the chain already.`,
    );
  });

  it("warns an author who cannot pay, and gives all that is signed", async () => {
    const { anvil } = signing;
    const author = (await newAuthor("0x0")).address;
    const { transactionId } = await requestAsset(author);
    const poor = (await read(transactionId)).value;
    expect(poor.gas).to.match(/^0x[0-9a-f]+$/);
    expect(poor.warning).to.match(
      new RegExp(`^The account ${author} holds 0 of the chain's currency, .* up to 0\\.\\d+: send it more`),
    );

    const most = BigInt(poor.gas) * BigInt(poor.maxFeePerGas);
    await anvil.rpc("anvil_setBalance", [author, numberToHex(2n * most)]);
    expect((await read(transactionId)).value.warning).to.equal(null);
  });

  it("reads links and revocations in words too", async () => {
    const { api, facts } = signing;
    const [parent, child] = [await facts.asset(), await facts.asset()];
    const linked = await api.post(`/assets/${parent}/links`, { targetAssetIds: [child] });
    const link = (await read(linked.value.transactionId)).value;
    expect(link).to.include({ kind: "link", assetId: parent });
    expect(link.call).to.deep.equal({ function: "link", arguments: { parent, children: [child] } });
    expect(link.summary).to.contain(`links it to the asset ${child}`);
    expect(link.warning).to.contain("is not on the chain");
    await facts.link(parent, child);
    const revoked = await api.patch(`/assets/${parent}/links`, { targetAssetIds: [child] });
    const revoke = (await read(revoked.value.transactionId)).value;
    expect(revoke.call.function).to.equal("revokeLinks");
    expect(revoke.summary).to.contain("revokes its links");
  });

  it("checks a key and a token that are sent all the same", async () => {
    const { id } = signing;
    expect((await read(id, { key: keys["tenant-b"] })).status).to.equal(200);
    expectError(await read(id, { key: "wrong" }), 401, "API_KEY_INVALID");
    expectError(await read(id, { headers: { Authorization: "Basic eDp5" } }), 401, "IDENTITY_TOKEN_INVALID");
  });

  it("leaves nothing to sign of a request that is closed", async () => {
    await refuse(await signRefusal());
    const { value } = await read();
    expect(value).to.include({ state: "RevokedByUser", reason: "REFUSED" });
    for (const field of ["to", "data", "value", "nonce", "gas", "maxFeePerGas", "gasPrice", "refusal"]) {
      expect(value[field]).to.equal(null);
    }
  });

  it("takes the id in any case, and answers 404 to every other", async () => {
    const { id, assetId } = signing;
    expect((await read(id.toUpperCase())).value.id).to.equal(id);
    for (const unknown of ["00000000-0000-4000-8000-000000000000", "1", "%00", assetId]) {
      expectError(await read(unknown), 404, "TRANSACTION_NOT_FOUND");
      expectError(await submit({ signedTransaction: "0x" }, unknown), 404, "TRANSACTION_NOT_FOUND");
      expectError(await refuse("0x00", unknown), 404, "TRANSACTION_NOT_FOUND");
    }
  });
});
