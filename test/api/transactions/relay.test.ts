import { expect } from "chai";
import { concat, encodeFunctionData, type Hex, type LocalAccount, parseEther } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { inTransaction } from "../../../db/core/pool.ts";
import { forgetRelayer } from "../../../db/service/relays/relayer.ts";
import { registryAbi } from "../../../domain/registry/abi.ts";
import { expectError } from "../../support/api.ts";
import { other, third } from "../../support/chain/accounts.ts";
import { deployContractWallet } from "../../support/chain/contract-wallet.ts";
import { eventually } from "../../support/eventually.ts";
import { type Service, startService } from "../../support/service.ts";
import { compact, malleable, signAs } from "../../support/sign.ts";

describe("POST /transactions/{transactionId}/submit with a gasless signature", () => {
  let service: Service;
  let author: LocalAccount;
  const key = generatePrivateKey();
  const relayer = privateKeyToAccount(key);

  beforeEach(async () => {
    service = await startService({ relayer: { key, dailyBudget: parseEther("0.05") } });
    await service.rig.chain.setBalance({ address: relayer.address, value: parseEther("1") });
    await eventually(
      "the relayer",
      async () => (await service.get("/status")).value.relayer?.balance,
      (balance) => balance === String(parseEther("1")),
    );
    author = privateKeyToAccount(generatePrivateKey());
  });
  afterEach(() => service.stop());

  const ask = async (address: string = author.address) =>
    (await service.post("/assets/", { name: "Lease", author: address })).value as {
      id: Hex;
      transactionId: string;
    };
  const read = async (id: string) => (await service.get(`/transactions/${id}`)).value;
  const sign = async (id: string, by = author): Promise<Hex> => by.signTypedData((await read(id)).gasless);
  const submit = (id: string, signature: unknown, beside: object = {}) =>
    service.post(`/transactions/${id}/submit`, { signature, ...beside });
  const relays = async () =>
    (await service.rig.pool.query("select signature from service.relays")).rows.map(
      (row) => `0x${row.signature.toString("hex")}`,
    );

  async function confirm(id: string): Promise<void> {
    await service.rig.reach(id, "Submitted");
    await service.rig.mine();
    await service.rig.reach(id, "Committed");
    await service.rig.mine(5);
    await service.rig.reach(id, "Confirmed");
  }

  async function carryOut(id: string, by = author): Promise<void> {
    const answer = await submit(id, await sign(id, by));
    expect(answer.status).to.equal(202);
    expect(answer.value.state).to.equal("TxSignatureSubmitted");
    await confirm(id);
  }

  const newWallet = () => deployContractWallet(service.rig.anvil, [other.address, third.address]);
  const deployWallet = async (): Promise<Hex> => (await newWallet()).address;

  it("creates, links and revokes for an author without ether", async () => {
    const [parent, child] = [await ask(), await ask()];
    for (const { transactionId } of [parent, child]) await carryOut(transactionId);
    const body = { targetAssetIds: [child.id] };
    const link = await service.post(`/assets/${parent.id}/links`, body);
    await carryOut(link.value.transactionId);
    const revocation = await service.patch(`/assets/${parent.id}/links`, body);
    await carryOut(revocation.value.transactionId);
    expect((await read(revocation.value.transactionId)).gasless).to.equal(null);
    expect(await service.rig.chain.getBalance({ address: author.address })).to.equal(0n);
  });

  it("counts as signed what has a signature, whether a relayer works or not", async () => {
    const [waiting, signed] = [await ask(), await ask()];
    await service.rig.stopIndexer();
    const states = async () =>
      await Promise.all(
        [waiting, signed].map(async ({ transactionId }) => {
          const { state, history } = await read(transactionId);
          const { value } = await service.get(`/transactions/${transactionId}/status`);
          expect({ state, history }).to.deep.equal({ state: value.state, history: value.history });
          return state;
        }),
      );
    expect(await states()).to.deep.equal(["Received", "Received"]);
    await submit(signed.transactionId, await sign(signed.transactionId));
    expect(await states()).to.deep.equal(["Received", "TxSignatureSubmitted"]);
    await inTransaction(service.rig.pool, forgetRelayer);
    expect(await states()).to.deep.equal(["Received", "TxSignatureSubmitted"]);
  });

  it("takes what a contract wallet accepts, as it stands", async () => {
    const { transactionId: id } = await ask(await deployWallet());
    const signature = concat([await sign(id, other), await sign(id, third)]);
    expectError(await submit(id, await sign(id, other)), 422, "SIGNATURE_INVALID");
    expect((await submit(id, signature)).status).to.equal(202);
    expect(await relays()).to.deep.equal([signature]);
    await confirm(id);
  });

  it("refuses what a contract wallet accepts only while it may write, which the registry does not let it", async () => {
    const wallet = await newWallet();
    await wallet.answerFromNowOn("ChangesState");
    const { transactionId: id } = await ask(wallet.address);
    const signature = concat([await sign(id, other), await sign(id, third)]);
    const answer = await submit(id, signature);
    expectError(answer, 422, "SIGNATURE_INVALID");
    expect(answer.error?.message).to.include("without writing anything");
    expect(await relays()).to.deep.equal([]);
    await wallet.answerFromNowOn("Honest");
    expect((await submit(id, signature)).status).to.equal(202);
    await confirm(id);
  });

  it("takes the key of an account that delegates to code", async () => {
    const code = concat(["0xef0100", await deployWallet()]);
    await service.rig.anvil.rpc("anvil_setCode", [author.address, code]);
    await carryOut((await ask()).transactionId);
  });

  it("stores every form of a signature in the one that the registry takes, once", async () => {
    const { transactionId: id } = await ask();
    const signature = await sign(id);
    const bare = `${signature.slice(0, -2)}${signature.endsWith("1b") ? "00" : "01"}`;
    for (const form of [compact(signature), bare, signature, signature.toUpperCase().replace("0X", "0x")]) {
      expect((await submit(id, form)).status).to.equal(202);
    }
    expect(await relays()).to.deep.equal([signature]);
    await confirm(id);
    expect((await submit(id, signature)).value.state).to.equal("Confirmed");
  });

  it("stores nothing that is not the author's over this request, or that has something beside it", async () => {
    const [one, two] = [await ask(), await ask()];
    const id = one.transactionId;
    const signature = await sign(id);
    expectError(await submit(two.transactionId, signature), 422, "SIGNATURE_INVALID");
    expectError(await submit(id, malleable(signature)), 422, "SIGNATURE_INVALID");
    expectError(await submit(id, await sign(id, other)), 422, "SIGNATURE_INVALID");
    for (const beside of [{ transactionHash: `0x${"1".repeat(64)}` }, { signedTransaction: "0x02" }]) {
      expectError(await submit(id, signature, beside), 400, "INVALID_REQUEST");
    }
    expect(await relays()).to.deep.equal([]);
  });

  it("refuses another signature for a request that has one", async () => {
    const { transactionId: id } = await ask();
    await submit(id, await sign(id));
    expectError(await submit(id, await sign(id, other)), 409, "NONCE_IN_USE");
  });

  it("moves no nonce of the author", async () => {
    const [first, second] = [await ask(), await ask()];
    expect((await read(second.transactionId)).nonce).to.equal(1);
    await submit(first.transactionId, await sign(first.transactionId));
    expect((await read(second.transactionId)).nonce).to.equal(0);
  });

  it("stops at the tenant's budget of the day, and says when to come again", async () => {
    await service.rig.stopIndexer();
    const { transactionId: id } = await ask();
    const signature = await sign(id);
    await service.rig.pool.query("update service.relayer set daily_budget = 1");
    const answer = await submit(id, signature);
    expectError(answer, 429, "RELAYER_BUDGET_SPENT");
    expect(Number(answer.headers.get("Retry-After"))).to.be.within(1, 86_400);
    expect(await relays()).to.deep.equal([]);
  });

  it("is off where no relayer works, and nothing is offered", async () => {
    const { transactionId: id } = await ask();
    const signature = await sign(id);
    await service.rig.stopIndexer();
    await inTransaction(service.rig.pool, forgetRelayer);
    expectError(await submit(id, signature), 409, "RELAYER_DISABLED");
    expect((await read(id)).gasless).to.equal(null);
    expect((await service.get("/status")).value.relayer).to.equal(null);
  });

  it("closes with a refusal and with the end of its time", async () => {
    const [refused, expired] = [await ask(), await ask()];
    const signatures = [await sign(refused.transactionId), await sign(expired.transactionId)] as const;
    const refusal = await author.signTypedData((await read(refused.transactionId)).refusal);
    await service.post(`/transactions/${refused.transactionId}/revoke`, { signature: refusal });
    expectError(await submit(refused.transactionId, signatures[0]), 409, "TRANSACTION_CLOSED");
    await service.rig.pool.query("update service.requests set expires_at = now() where id = $1", [
      expired.transactionId,
    ]);
    expectError(await submit(expired.transactionId, signatures[1]), 409, "TRANSACTION_CLOSED");
  });

  it("lets a refusal and a signature race: what is refused is never sent", async () => {
    await service.rig.stopIndexer();
    const { transactionId: id } = await ask();
    const refusal = await author.signTypedData((await read(id)).refusal);
    const signature = await sign(id);
    await Promise.all([
      submit(id, signature),
      service.post(`/transactions/${id}/revoke`, { signature: refusal }),
    ]);
    await service.rig.startIndexer();
    await service.rig.mine(2);
    expect((await read(id)).state).to.equal("RevokedByUser");
    expect(await service.rig.chain.getTransactionCount({ address: relayer.address })).to.equal(0);
  });

  it("refuses a link change whose nonce its author has cancelled on the chain", async () => {
    const [parent, child] = [await ask(), await ask()];
    for (const { transactionId } of [parent, child]) await carryOut(transactionId);
    await service.rig.stopIndexer();
    const link = await service.post(`/assets/${parent.id}/links`, { targetAssetIds: [child.id] });
    const id = link.value.transactionId;
    const { gasless, ...given } = await read(id);
    const signature = await author.signTypedData(gasless);
    await service.rig.chain.setBalance({ address: author.address, value: parseEther("1") });
    const data = encodeFunctionData({
      abi: registryAbi,
      functionName: "cancelLinkChange",
      args: [BigInt(gasless.message.nonce)],
    });
    await service.rig.anvil.rpc("eth_sendRawTransaction", [await signAs(author, given, { data })]);
    await service.rig.mine();
    expectError(await submit(id, signature), 409, "NONCE_TOO_LOW");
  });

  it("offers a signature that is good for minutes, whatever the request's time is", async () => {
    const { transactionId: id } = await ask();
    const { gasless, expiresAt } = await read(id);
    const seconds = Number(gasless.message.deadline) - Date.now() / 1000;
    expect(seconds).to.be.within(895, 1_800);
    expect(Date.parse(expiresAt) - Date.now()).to.be.above(86_400_000);
    await carryOut(id);
  });

  it("takes a creation that is signed until its request ends, and no link change", async () => {
    const signUntilExpiry = async (id: string): Promise<Hex> => {
      const { gasless, expiresAt } = await read(id);
      const deadline = String(Math.floor(Date.parse(expiresAt) / 1000));
      return await author.signTypedData({ ...gasless, message: { ...gasless.message, deadline } });
    };
    const [parent, child] = [await ask(), await ask()];
    for (const { transactionId: id } of [parent, child]) {
      const signature = await signUntilExpiry(id);
      expectError(await submit(id, malleable(signature)), 422, "SIGNATURE_INVALID");
      expect((await submit(id, signature)).status).to.equal(202);
      await confirm(id);
    }
    const body = { targetAssetIds: [child.id] };
    const link = await service.post(`/assets/${parent.id}/links`, body);
    const id = link.value.transactionId;
    expectError(await submit(id, await signUntilExpiry(id)), 422, "SIGNATURE_INVALID");
  });

  describe("beside a transaction of the author's own", () => {
    async function linkRequest(): Promise<{ id: string; other: string }> {
      const [parent, child, second] = [await ask(), await ask(), await ask()];
      for (const { transactionId } of [parent, child, second]) await carryOut(transactionId);
      const request = async (target: { id: Hex }) =>
        (await service.post(`/assets/${parent.id}/links`, { targetAssetIds: [target.id] })).value
          .transactionId;
      await service.rig.chain.setBalance({ address: author.address, value: parseEther("1") });
      return { id: await request(child), other: await request(second) };
    }

    async function sendOwn(id: string) {
      const { to, data, nextNonce: nonce, chainId } = await read(id);
      const { raw } = await service.rig.sign(data, { account: author, to, nonce });
      expect(chainId).to.equal(service.rig.registry.chainId);
      return await service.post(`/transactions/${id}/submit`, { signedTransaction: raw });
    }

    it("takes a link change one way only, the first that is signed", async () => {
      const { id, other: another } = await linkRequest();
      expect((await submit(id, await sign(id))).status).to.equal(202);
      expectError(await sendOwn(id), 409, "OTHER_WAY_TAKEN");
      await confirm(id);
      const signature = await sign(another);
      expect((await sendOwn(another)).status).to.equal(202);
      expectError(await submit(another, signature), 409, "OTHER_WAY_TAKEN");
      await confirm(another);
      expect(await relays()).to.have.length(4);
    });

    it("says until when a signature lives that was sent and is not needed any more, and how to void it", async () => {
      const { id } = await linkRequest();
      // Sooner than any deadline that is offered, so that it is the signature's end as well.
      const soon = "update service.requests set expires_at = now() + interval '5 minutes' where id = $1";
      await service.rig.pool.query(soon, [id]);
      const { deadline } = (await read(id)).gasless.message;
      await submit(id, await sign(id));
      await service.rig.reach(id, "Submitted");
      expect(await read(id)).to.include({ signatureAliveUntil: null, cancelSignature: null });
      const { refusal } = await read(id);
      const refused = await service.post(`/transactions/${id}/revoke`, {
        signature: await author.signTypedData(refusal),
      });
      expect(refused.status).to.equal(200);
      const { signatureAliveUntil, cancelSignature } = await read(id);
      expect(Date.parse(signatureAliveUntil) - Date.now()).to.be.within(1, 1_800_000);
      expect(Date.parse(signatureAliveUntil)).to.equal(Number(deadline) * 1000);
      expect((await service.get(`/transactions/${id}/status`)).value).to.include({ signatureAliveUntil });
      const { data, to } = cancelSignature;
      await service.rig.send((await service.rig.sign(data, { account: author, to })).raw);
      await service.rig.mine();
      await service.rig.caughtUp();
      expect(await read(id)).to.include({ signatureAliveUntil: null, cancelSignature: null });
      expect((await service.get(`/transactions/${id}/status`)).value).to.include({
        signatureAliveUntil: null,
      });
    });
  });
});
