import { expect } from "chai";
import { parseEther } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { keys } from "../../support/api.ts";
import { other, owner } from "../../support/chain/accounts.ts";
import { eventually } from "../../support/eventually.ts";
import { type Service, startService } from "../../support/service.ts";

/** Whoever looks into abuse must find who did what: each change is told in the transaction that made it. */
describe("the audit trail", () => {
  let service: Service;
  before(async () => {
    const key = generatePrivateKey();
    service = await startService({ relayer: { key, dailyBudget: parseEther("1") } });
    const { address } = privateKeyToAccount(key);
    await service.rig.chain.setBalance({ address, value: parseEther("1") });
    await eventually(
      "the relayer",
      async () => (await service.get("/status")).value.relayer?.balance,
      (balance) => balance === String(parseEther("1")),
    );
  });
  after(() => service.stop());

  const trail = async () =>
    (
      await service.pool.query(
        `select id, kind, tenant, key_id, issuer, subject, '0x' || encode(address, 'hex') as address, about,
           request_id, client, details, actor from service.audit order by id`,
      )
    ).rows;

  it("tells of each change, who made it, from where and what about", async () => {
    const headers = { "X-Request-Id": "look-for-me" };
    const lease = { name: "Lease", author: owner.address };
    const made = (await service.post("/assets/", lease, { headers })).value;
    const [requested] = await trail();
    const by = { tenant: "tenant-a", issuer: null, subject: null, client: "127.0.0.1" };
    expect(requested).to.include({ kind: "asset.requested", request_id: "look-for-me", ...by });
    expect(requested.key_id).to.be.a("string").and.not.equal("");
    expect(requested.about).to.deep.equal([made.id, made.transactionId]);
    expect(requested.address).to.equal(owner.address.toLowerCase());

    const hash = `0x${"ab".repeat(32)}`;
    const reported = { transactionHash: hash };
    await service.post(`/transactions/${made.transactionId}/submit`, reported, { key: null });
    await service.carryOut(made.transactionId);
    const child = await service.createAsset();
    const targets = { targetAssetIds: [child.id] };
    const { value: linked } = await service.post(`/assets/${made.id}/links`, targets);
    await service.carryOut(linked.transactionId);
    const { value: revoked } = await service.patch(`/assets/${made.id}/links`, targets);
    const { refusal } = (await service.get(`/transactions/${revoked.transactionId}`)).value;
    const signature = await owner.signTypedData(refusal);
    await service.post(`/transactions/${revoked.transactionId}/revoke`, { signature }, { key: null });
    const user = { bearer: await service.token("alice"), key: null };
    const started = (await service.call("POST", "/wallets/", user)).value;
    const proof = {
      ethereumAddress: owner.address,
      signature: await owner.signTypedData(JSON.parse(started.serializedValue)),
    };
    await service.post(`/wallets/${started.id}/confirm`, proof, user);
    await service.remove(`/wallets/${started.id}`, user);
    const webhook = (await service.post("/webhooks/", { url: "https://receiver.example/" })).value;
    await service.patch(`/webhooks/${webhook.id}`, { description: "new" });
    await service.patch(`/webhooks/${webhook.id}`, { description: "new" });
    const tested = (await service.post(`/webhooks/${webhook.id}/test`)).value;
    await service.post(`/webhooks/${webhook.id}/deliveries/${tested.id}/redeliver`);
    await service.post(`/webhooks/${webhook.id}/redeliver`, { after: 0 });
    const rotated = (await service.post(`/webhooks/${webhook.id}/secret`)).value;
    await service.remove(`/webhooks/${webhook.id}`);

    const all = await trail();
    expect(all.map(({ kind }) => kind)).to.deep.equal([
      "asset.requested",
      "hash.reported",
      "transaction.submitted",
      "asset.requested",
      "transaction.submitted",
      "links.requested",
      "transaction.submitted",
      "revocation.requested",
      "transaction.refused",
      "wallet.started",
      "wallet.connected",
      "wallet.removed",
      "webhook.created",
      "webhook.changed",
      "webhook.tested",
      "webhook.redelivered",
      "webhook.redelivered",
      "webhook.secret_rotated",
      "webhook.removed",
    ]);
    expect(all.at(-1).about).to.deep.equal([webhook.id]);
    const removed = all.find(({ kind }) => kind === "wallet.removed");
    expect(removed).to.include({ tenant: null, key_id: null, subject: "alice" });
    expect(removed.address).to.equal(owner.address.toLowerCase());
    expect(all[1]).to.include({ tenant: null, key_id: null, subject: null });
    const text = JSON.stringify(all);
    for (const secret of [
      keys["tenant-a"],
      user.bearer,
      signature,
      proof.signature,
      "Lease",
      started.token,
      webhook.secret,
      rotated.secret,
    ]) {
      expect(text).not.to.include(secret);
    }
  });

  it("tells nothing of what was refused, or of a repeated request", async () => {
    const before = (await trail()).length;
    await service.post("/assets/", { name: "" });
    await service.post("/assets/", { name: "Lease", author: owner.address }, { key: "wrong" });
    const again = { headers: { "Idempotency-Key": "once" } };
    for (let nth = 0; nth < 2; nth += 1) {
      expect(
        (await service.post("/assets/", { name: "Once", author: owner.address }, again)).status,
      ).to.equal(202);
    }
    expect((await trail()).length).to.equal(before + 1);
  });

  it("tells nothing of what changes nothing: the same again from whoever knows the id", async () => {
    const author = privateKeyToAccount(generatePrivateKey());
    const ask = async (address: string) =>
      (await service.post("/assets/", { name: "Again", author: address })).value.transactionId as string;
    const [reported, signed, gasless, refused] = [
      await ask(other.address),
      await ask(other.address),
      await ask(author.address),
      await ask(author.address),
    ];
    const read = async (id: string) => (await service.get(`/transactions/${id}`)).value;
    const signature = await author.signTypedData((await read(gasless)).gasless);
    const bodies = [
      [`${reported}/submit`, "hash.reported", { transactionHash: `0x${"cd".repeat(32)}` }],
      [`${signed}/submit`, "transaction.submitted", { signedTransaction: await service.sign(signed, other) }],
      [`${gasless}/submit`, "signature.submitted", { signature }],
      [
        `${refused}/revoke`,
        "transaction.refused",
        { signature: await author.signTypedData((await read(refused)).refusal) },
      ],
    ] as const;
    for (const [path, kind, body] of bodies) {
      const before = (await trail()).length;
      const answers: unknown[] = [];
      for (const key of ["a", "a", "b", undefined]) {
        const headers = key === undefined ? {} : { "Idempotency-Key": `${kind}-${key}` };
        const answer = await service.post(`/transactions/${path}`, body, { key: null, headers });
        expect(answer.error, kind).to.equal(undefined);
        answers.push(answer.value.id);
      }
      expect(new Set(answers).size, kind).to.equal(1);
      const added = (await trail()).slice(before).map((row) => row.kind);
      expect(added, kind).to.deep.equal([kind]);
    }
    const [parent, child] = [await service.createAsset(), await service.createAsset()];
    const before = (await trail()).length;
    const body = { targetAssetIds: [child.id] };
    const [first, second] = [
      await service.post(`/assets/${parent.id}/links`, body),
      await service.post(`/assets/${parent.id}/links`, body),
    ];
    expect(second.value.transactionId).to.equal(first.value.transactionId);
    expect((await trail()).slice(before).map(({ kind }) => kind)).to.deep.equal(["links.requested"]);
  });

  it("names tenant and key in the log line of the request that it names", async () => {
    const { key_id: keyId } = (await trail())[0];
    const line = service.lines.map((text) => JSON.parse(text)).find(({ id }) => id === "look-for-me");
    expect(line).to.include({ tenant: "tenant-a", keyId });
    const reads = { "X-Request-Id": "read-this" };
    for (let nth = 0; nth < 2; nth += 1)
      await service.get(`/assets/0x${"00".repeat(32)}`, { headers: reads });
    const lines = service.lines.map((text) => JSON.parse(text)).filter(({ id }) => id === "read-this");
    expect(lines).to.have.length(2);
    for (const one of lines) expect(one).to.include({ tenant: "tenant-a", keyId });
  });
});
