import { expect } from "chai";
import { takesIdempotencyKey } from "../../../api/operation/route.ts";
import { allRoutes } from "../../../api/routes.ts";
import { type Answer, type Call, expectError } from "../../support/api.ts";
import { other, owner } from "../../support/chain/accounts.ts";
import { type Service, startService } from "../../support/service.ts";

describe("every operation that takes an Idempotency-Key", () => {
  let service: Service;
  let replayed: Set<string>;
  before(async () => {
    service = await startService();
    replayed = new Set();
  });
  after(() => service.stop());

  const tables = [
    "requests",
    "request_targets",
    "transactions",
    "history",
    "wallets",
    "wallet_initialisations",
    "webhooks",
    "deliveries",
    "idempotency_keys",
  ];

  /** How many rows of each kind there are that a change can leave behind. */
  async function stored(): Promise<unknown> {
    const counts = tables.map((table) => `(select count(*) from service.${table}) as ${table}`);
    return (await service.pool.query(`select ${counts.join()}`)).rows[0];
  }

  /** Sends it twice with one key: the second one changes nothing and gets the first one's answer. */
  async function twice(
    method: "POST" | "PATCH",
    path: string,
    body: unknown,
    { meanwhile = async () => {}, ...call }: Call & { meanwhile?: () => Promise<unknown> } = {},
  ) {
    const headers = { "Idempotency-Key": `${method} ${path}`.slice(0, 80).replaceAll(" ", "-") };
    const send = () => service.call(method, path, { ...call, body, headers });
    const first = await send();
    expect(first.status, first.error?.message).to.be.below(300);
    await meanwhile();
    const before = await stored();
    const second = await send();
    expect(await stored(), `${method} ${path}`).to.deep.equal(before);
    expect(shown(second)).to.deep.equal({ ...shown(first), replayed: "true" });
    replayed.add(`${method} ${path.replace(/\/(0x)?[0-9a-f-]{36,}/g, "/{id}")}`);
    return first.value;
  }

  const shown = ({ status, value, headers }: Answer) => ({
    status,
    value,
    replayed: headers.get("idempotency-replayed"),
  });

  it("is carried out once and answers the same", async () => {
    const lease = await twice("POST", "/assets/", { name: "Lease", author: owner.address });
    await submitTwice(lease.transactionId);
    const amendment = await service.createAsset();
    const targets = { targetAssetIds: [amendment.id] };
    // A new request for the same would be refused then: the link stands.
    const link = await twice("POST", `/assets/${lease.id}/links`, targets, {
      meanwhile: async () => {
        const { value } = await service.post(`/assets/${lease.id}/links`, targets);
        await service.carryOut(value.transactionId);
      },
    });
    expectError(await service.post(`/assets/${lease.id}/links`, targets), 409, "ALREADY_LINKED");
    expect((await service.get(`/transactions/${link.transactionId}`)).value.state).to.equal("Committed");
    const revocation = await twice("PATCH", `/assets/${lease.id}/links`, targets);
    await service.carryOut(revocation.transactionId);

    const unwanted = await service.post("/assets/", { name: "No", author: other.address });
    const { transactionId } = unwanted.value;
    const { refusal } = (await service.get(`/transactions/${transactionId}`)).value;
    await twice("POST", `/transactions/${transactionId}/revoke`, {
      signature: await other.signTypedData(refusal),
    });

    const user = { bearer: await service.token("alice"), key: null };
    const started = await twice("POST", "/wallets/", { name: "Office" }, user);
    const signature = await owner.signTypedData(JSON.parse(started.serializedValue));
    const proof = { ethereumAddress: owner.address, signature };
    await twice("POST", `/wallets/${started.id}/confirm`, proof, user);

    const webhook = await twice("POST", "/webhooks/", { url: "https://receiver.example/" });
    await twice("PATCH", `/webhooks/${webhook.id}`, { description: "the second" });
    const rotated = await twice("POST", `/webhooks/${webhook.id}/secret`, undefined);
    expect((await secretOf(webhook.id)).secret).to.equal(rotated.secret);

    const delivery = await twice("POST", `/webhooks/${webhook.id}/test`, undefined);
    await twice("POST", `/webhooks/${webhook.id}/deliveries/${delivery.id}/redeliver`, undefined);
    await twice("POST", `/webhooks/${webhook.id}/redeliver`, { after: 0 });

    const all = allRoutes
      .filter(takesIdempotencyKey)
      .map(({ method, path }) => `${method.toUpperCase()} ${path.replace(/\{\w+\}/g, "{id}")}`);
    expect([...replayed]).to.have.members(all);
  });

  async function secretOf(id: string) {
    return (await service.pool.query("select secret from service.webhooks where id = $1", [id])).rows[0];
  }

  async function submitTwice(transactionId: string): Promise<void> {
    const signedTransaction = await service.sign(transactionId);
    await twice(
      "POST",
      `/transactions/${transactionId}/submit`,
      { signedTransaction },
      { meanwhile: () => service.rig.reach(transactionId, "Submitted") },
    );
    await service.rig.mine();
    await service.rig.reach(transactionId, "Committed");
  }
});
