import { expect } from "chai";
import { keccak256 } from "viem";
import { expectError, fieldsOf, keys } from "../../support/api.ts";
import { useSigning } from "../../support/rigs/signing-rig.ts";
import { signAs } from "../../support/sign.ts";

describe("POST /transactions/{transactionId}/submit", () => {
  const signing = useSigning();
  const { newAuthor, requestAsset, read, toSign, submit, submitRaw, stored } = signing;

  it("stores a signed transaction, and answers its hash; it sends nothing", async () => {
    const { anvil, id, assetId, author } = signing;
    const raw = await signAs(author, await toSign());
    const { status, value } = await submit({
      signedTransaction: raw,
      signerAddress: author.address.toLowerCase(),
      description: "from my ledger",
    });
    expect(status).to.equal(202);
    expect(value).to.deep.equal({
      id: assetId,
      transactionId: id,
      signUrl: `https://registry.example/console/sign/${id}`,
      transactionHash: keccak256(raw),
      state: "TxSignatureSubmitted",
    });
    expect(await anvil.rpc("eth_getTransactionByHash", [keccak256(raw)])).to.equal(null);
    const history = (await read()).value.history.map(({ state }: { state: string }) => state);
    expect(history).to.deep.equal(["Received", "TxSignatureSubmitted"]);
  });

  it("takes the same bytes twenty times at once and again later, as one", async () => {
    const { facts, id, author } = signing;
    const raw = await signAs(author, await toSign());
    const before = await stored();
    const answers = await Promise.all(Array.from({ length: 20 }, () => submitRaw(raw)));
    await facts.create(id);
    answers.push(await submitRaw(`0x${raw.slice(2).toUpperCase()}`));
    expect(answers.map(({ status }) => status)).to.deep.equal(new Array(21).fill(202));
    expect(new Set(answers.map(({ value }) => value.transactionHash))).to.deep.equal(
      new Set([keccak256(raw)]),
    );
    expect(await stored()).to.equal(before + 1);
  });

  it("takes legacy with a chain id, type 1, type 2 and an access list", async () => {
    const gasPrice = 10_000_000_000n;
    const fees = { maxFeePerGas: undefined, maxPriorityFeePerGas: undefined };
    const accessList = [
      { address: signing.api.registry.address, storageKeys: [`0x${"01".repeat(32)}` as const] },
    ];
    for (const changes of [
      { type: "legacy", gasPrice, ...fees },
      { type: "eip2930", gasPrice, accessList, gas: 300_000n, ...fees },
      { accessList, gas: 300_000n },
      { maxPriorityFeePerGas: 0n },
    ] as object[]) {
      const author = await newAuthor();
      const { transactionId } = await requestAsset(author.address);
      const raw = await signAs(author, await toSign(transactionId), changes);
      expect((await submitRaw(raw, transactionId)).status).to.equal(202);
    }
  });

  it("takes one signed transaction for two requests of the same change", async () => {
    const { api, facts, author } = signing;
    const [parent, child] = [await facts.asset({}, author.address), await facts.asset({}, author.address)];
    const body = { targetAssetIds: [child] };
    const mine = (await api.post(`/assets/${parent}/links`, body)).value.transactionId;
    const theirs = (await api.post(`/assets/${parent}/links`, body, { key: keys["tenant-b"] })).value
      .transactionId;
    const signedTransaction = await signAs(author, await toSign(mine), { nonce: 0 });
    expect((await submit({ signedTransaction }, mine)).status).to.equal(202);
    expect((await submit({ signedTransaction }, theirs)).status).to.equal(202);
    for (const one of [mine, theirs]) expect((await read(one)).value.state).to.equal("TxSignatureSubmitted");
  });

  it("notes a reported hash for any request, and believes none", async () => {
    const { anvil, api, id, assetId, author } = signing;
    const another = await requestAsset();
    const raw = await signAs(author, await toSign(another.transactionId), { nonce: 0 });
    const transactionHash = await anvil.rpc<string>("eth_sendRawTransaction", [raw]);
    for (const target of [id, another.transactionId, id]) {
      const { status, value } = await submit(
        { transactionHash: transactionHash.toUpperCase().replace("0X", "0x") },
        target,
      );
      expect(status).to.equal(202);
      expect(value).to.include({ state: "Received", transactionHash });
    }
    const status = (await api.get(`/assets/${assetId}/status`)).value;
    expect(status).to.include({ state: "Received", transactionHash });
  });

  it("takes exactly one of signedTransaction and transactionHash", async () => {
    const { author } = signing;
    const transactionHash = `0x${"12".repeat(32)}`;
    const signedTransaction = await signAs(author, await toSign());
    expectError(await submit({}), 400, "INVALID_REQUEST");
    const both = await submit({ signedTransaction, transactionHash, description: "x" });
    expectError(both, 400, "INVALID_REQUEST");
    expect(fieldsOf(both)).to.deep.equal(["signedTransaction", "description"]);
    expectError(await submit({ transactionHash: "0x12" }), 400, "INVALID_REQUEST");
  });

  it("takes nothing more once the request is closed, except news of what closed it", async () => {
    const { facts, id, author } = signing;
    const raw = await signAs(author, await toSign());
    const later = await signAs(author, await toSign(), { nonce: 99 });
    await facts.create(id);
    const transactionHash = facts.transactionHashOf(facts.head);
    expectError(await submitRaw(raw), 409, "TRANSACTION_CLOSED");
    expectError(await submitRaw(later), 409, "TRANSACTION_CLOSED");
    expectError(await submit({ transactionHash: `0x${"12".repeat(32)}` }), 409, "TRANSACTION_CLOSED");
    expect((await submit({ transactionHash })).value).to.include({ state: "Committed", transactionHash });
  });

  it("takes the transaction of an account with delegated code (EIP-7702)", async () => {
    const { anvil, api, author } = signing;
    const given = await toSign();
    await anvil.rpc("anvil_setCode", [author.address, `0xef0100${api.registry.address.slice(2)}`]);
    try {
      expect((await submitRaw(await signAs(author, given))).status).to.equal(202);
    } finally {
      await anvil.rpc("anvil_setCode", [author.address, "0x"]);
    }
  });
});
