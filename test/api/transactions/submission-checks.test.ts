import { expect } from "chai";
import { type Hex, keccak256, numberToHex, type TransactionSerializable } from "viem";
import type { ErrorCode } from "../../../domain/errors.ts";
import { type Answer, expectError, keys } from "../../support/api.ts";
import { type Liar, startLiar } from "../../support/chain/liar.ts";
import { useSigning } from "../../support/rigs/signing-rig.ts";
import { signAs } from "../../support/sign.ts";

type Changes = Partial<TransactionSerializable>;

describe("what the chain would not carry out", () => {
  let node: Liar;
  const signing = useSigning({
    async nodeUrl(url) {
      node = await startLiar(url);
      return node.url;
    },
  });
  after(() => node.stop());
  const { newAuthor, requestAsset, read, toSign, submitRaw, stored, send } = signing;
  const sign = async (changes: Changes = {}, id = signing.id) =>
    signAs(signing.author, await toSign(id), changes);

  /** Refused before anything is stored or sent, and the request is as it was. */
  async function expectRefusal(answer: Promise<Answer>, status: number, code: ErrorCode): Promise<string> {
    const before = await stored();
    const { message } = expectError(await answer, status, code);
    expect(await stored()).to.equal(before);
    expect(node.callsOf("eth_sendRawTransaction")).to.deep.equal([]);
    expect((await read()).value.state).to.equal("Received");
    expect((await read()).value.nonce).to.be.a("number");
    return message;
  }

  beforeEach(() => {
    node.honest();
    node.calls.length = 0;
  });

  it("a fee under the current base fee", async () => {
    const raw = await sign({ maxFeePerGas: 1n, maxPriorityFeePerGas: 1n });
    const message = await expectRefusal(submitRaw(raw), 422, "FEE_TOO_LOW");
    expect(message).to.contain("0.000000001 gwei");
  });

  it("the same of a legacy transaction", async () => {
    const fees = { maxFeePerGas: undefined, maxPriorityFeePerGas: undefined };
    const raw = await sign({ type: "legacy", gasPrice: 1n, ...fees } as Changes);
    await expectRefusal(submitRaw(raw), 422, "FEE_TOO_LOW");
  });

  it("a gas limit under what the call needs", async () => {
    const message = await expectRefusal(submitRaw(await sign({ gas: 60_000n })), 422, "GAS_TOO_LOW");
    expect(message).to.match(/is 60000, and the call needs \d{5,6}:/);
  });

  it("a call that fails for now is not refused for its gas, unless no such call could do with so little", async () => {
    const raw = await sign({ gas: 60_000n });
    node.on("eth_estimateGas", () => ({ error: { code: 3, message: "execution reverted" } }));
    await expectRefusal(submitRaw(await sign({ gas: 21_000n })), 422, "GAS_TOO_LOW");
    expect((await submitRaw(raw)).status).to.equal(202);
  });

  it("a balance that does not cover gas limit times fee", async () => {
    const raw = await sign();
    await signing.anvil.rpc("anvil_setBalance", [signing.author.address, "0x64"]);
    const message = await expectRefusal(submitRaw(raw), 409, "INSUFFICIENT_FUNDS");
    expect(message).to.contain(signing.author.address).and.contain("0.0000000000000001");
    const { gas, maxFeePerGas } = await toSign();
    const most = BigInt(gas ?? 0) * BigInt(maxFeePerGas);
    await signing.anvil.rpc("anvil_setBalance", [signing.author.address, numberToHex(most)]);
    expect((await submitRaw(raw)).status).to.equal(202);
  });

  it("a nonce that the author has used already", async () => {
    const raw = await sign();
    const spent = {
      to: signing.author.address,
      nonce: 0,
      gas: 21_000n,
      chainId: 31_337,
      gasPrice: 10n ** 10n,
    };
    const hash = await send(await signing.author.signTransaction(spent));
    const message = await expectRefusal(submitRaw(raw), 409, "NONCE_TOO_LOW");
    expect(message).to.contain("nonce 0").and.contain("from 1 on");
    // Where the node answers the one that used the nonce, that is no sign that this one is known.
    const other = await signing.anvil.rpc("eth_getTransactionByHash", [hash]);
    node.on("eth_getTransactionByHash", () => ({ result: other }));
    await expectRefusal(submitRaw(raw), 503, "NODE_UNAVAILABLE");
  });

  it("but the very transaction that used the nonce is a success, in the pool and in a block", async () => {
    await signing.anvil.rpc("evm_setAutomine", [false]);
    const raw = await sign();
    const other = await requestAsset();
    const later = await sign({ nonce: 1 }, other.transactionId);
    for (const one of [raw, later]) await send(one);
    expect((await submitRaw(raw)).value.transactionHash).to.equal(keccak256(raw));
    await signing.anvil.rpc("evm_setAutomine", [true]);
    await signing.anvil.mine();
    expect((await submitRaw(later, other.transactionId)).value.transactionHash).to.equal(keccak256(later));
    expect((await submitRaw(raw)).status).to.equal(202);
  });

  it("a nonce before which one has no transaction, which it names", async () => {
    const message = await expectRefusal(submitRaw(await sign({ nonce: 2 })), 409, "NONCE_GAP");
    expect(message).to.contain("with nonce 2").and.contain("nonce 0 of");
  });

  it("a nonce right behind those in the node's pool and those that wait to be sent is none with a gap", async () => {
    await signing.anvil.rpc("evm_setAutomine", [false]);
    const transfer = {
      to: signing.author.address,
      nonce: 0,
      gas: 21_000n,
      chainId: 31_337,
      gasPrice: 10n ** 10n,
    };
    await send(await signing.author.signTransaction(transfer));
    expect((await submitRaw(await sign())).status).to.equal(202);
    const next = await requestAsset();
    const raw = await sign({}, next.transactionId);
    expect((await submitRaw(raw, next.transactionId)).status).to.equal(202);
    expect((await toSign(next.transactionId)).nonce).to.equal(2);
    await signing.anvil.rpc("evm_setAutomine", [true]);
    await signing.anvil.mine();
  });

  it("a nonce right behind one that becomes final while the node is asked is none with a gap", async () => {
    expect((await submitRaw(await sign())).status).to.equal(202);
    const next = await requestAsset();
    const raw = await sign({}, next.transactionId);
    node.on("eth_getBalance", async () => {
      await signing.api.pool.query("update service.requests set settled = true where id = $1", [signing.id]);
      return undefined;
    });
    expect((await submitRaw(raw, next.transactionId)).status).to.equal(202);
  });

  it("the nonce of another signed request of the author, of any tenant", async () => {
    const taken = await requestAsset(undefined, { key: keys["tenant-b"] });
    expect(
      (await submitRaw(await sign({ nonce: 0 }, taken.transactionId), taken.transactionId)).status,
    ).to.equal(202);
    const message = await expectRefusal(submitRaw(await sign({ nonce: 0 })), 409, "NONCE_IN_USE");
    expect(message).to.contain("with nonce 1").and.not.contain(taken.transactionId);
    expect((await submitRaw(await sign({ nonce: 1 }))).status).to.equal(202);
  });

  it("of two requests that are handed in at once with one nonce, one", async () => {
    const rival = await requestAsset();
    const raws = [await sign({ nonce: 0 }), await sign({ nonce: 0 }, rival.transactionId)];
    const answers = await Promise.all([submitRaw(raws[0]), submitRaw(raws[1], rival.transactionId)]);
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([202, 409]);
    expect(answers.find(({ error }) => error)?.error?.code).to.equal("NONCE_IN_USE");
  });

  it("a second signature of one request with the same nonce, unless it pays a tenth more", async () => {
    const [maxFeePerGas, maxPriorityFeePerGas] = [10n ** 10n, 10n ** 9n];
    expect((await submitRaw(await sign({ maxFeePerGas, maxPriorityFeePerGas }))).status).to.equal(202);
    for (const cheap of [
      { maxFeePerGas: maxFeePerGas + 1n, maxPriorityFeePerGas },
      { maxFeePerGas: 2n * maxFeePerGas, maxPriorityFeePerGas },
    ]) {
      const { message } = expectError(await submitRaw(await sign(cheap)), 409, "NONCE_IN_USE");
      expect(message).to.contain("11 gwei").and.contain("1.1 as priority");
    }
    const faster = { maxFeePerGas: 11n * 10n ** 9n, maxPriorityFeePerGas: 11n * 10n ** 8n };
    expect((await submitRaw(await sign(faster))).status).to.equal(202);
  });

  it("what is wrong by itself is refused without asking the node", async () => {
    const given = await toSign();
    const stranger = await newAuthor();
    node.calls.length = 0;
    const cases: [Promise<Hex>, ErrorCode][] = [
      [signAs(signing.author, given, { chainId: 1 }), "WRONG_CHAIN"],
      [signAs(stranger, given), "SIGNER_MISMATCH"],
      [signAs(signing.author, given, { value: 1n }), "TRANSACTION_MISMATCH"],
    ];
    for (const [raw, code] of cases) expectError(await submitRaw(await raw), 422, code);
    expectError(await submitRaw("0x02"), 400, "SIGNED_TRANSACTION_MALFORMED");
    expect(node.calls).to.deep.equal([]);
  });

  // The last, for what is asked again of a node that hangs up may come late.
  it("nothing more is asked of what is stored already: it is a success without a node", async () => {
    const raw = await sign();
    await submitRaw(raw);
    const another = await requestAsset();
    const unknown = await sign({ nonce: 1 }, another.transactionId);
    node.on("*", () => "drop");
    expect((await submitRaw(raw)).status).to.equal(202);
    const before = await stored();
    expectError(await submitRaw(unknown, another.transactionId), 503, "NODE_UNAVAILABLE");
    expect(await stored()).to.equal(before);
  });
});
