import { expect } from "chai";
import { allRoutes } from "../../../api/routes.ts";
import type { Answer } from "../../support/api.ts";
import { other, owner } from "../../support/chain/accounts.ts";
import { answered } from "../../support/contract.ts";
import { type Service, startService } from "../../support/service.ts";

/** Each answer is held against the document as it arrives: see test/support/contract.ts. */
describe("every documented operation", () => {
  let service: Service;
  before(async () => {
    service = await startService();
  });
  after(() => service.stop());

  const succeed = async (answer: Promise<Answer>) => {
    const { status, value, error } = await answer;
    expect(status, error?.message).to.be.below(300);
    return value;
  };

  it("answers success as it is documented, in the order of a real use", async () => {
    answered.clear();
    await useAssets();
    await useWallets();
    await useWebhooks();
    await useService();
    const promised = allRoutes.map(({ method, path, status }) => `${method} ${path} ${status}`);
    expect([...answered]).to.include.members(promised);
  });

  async function useAssets(): Promise<void> {
    const details = { data: "Flat 3", fileName: "a.pdf", fileSize: "1024", method: "SHA2-256", hash: "2c26" };
    const lease = await service.createAsset(details);
    const amendment = await service.createAsset();
    const targets = { targetAssetIds: [amendment.id] };
    const link = await succeed(service.post(`/assets/${lease.id}/links`, targets));
    await service.carryOut(link.transactionId);
    for (const path of ["", "/status", "/links"]) await succeed(service.get(`/assets/${lease.id}${path}`));
    const revocation = await succeed(service.patch(`/assets/${lease.id}/links`, targets));
    await service.carryOut(revocation.transactionId);
    await succeed(service.get("/assets/"));
    await usePublic(lease.id);

    const refused = await succeed(service.post("/assets/", { name: "No", author: other.address }));
    const { refusal } = await succeed(service.get(`/transactions/${refused.transactionId}`));
    const signature = await other.signTypedData(refusal);
    await succeed(service.post(`/transactions/${refused.transactionId}/revoke`, { signature }));
    await succeed(service.get(`/transactions/${refused.transactionId}`));
    await succeed(service.get(`/transactions/${refused.transactionId}/status`));
    await succeed(service.get(`/transactions/status?ids=${refused.transactionId}`));
    await succeed(service.get("/transactions/"));
    await succeed(service.get("/events/stream"));
    await succeed(service.get("/events/?kinds=request,asset,link,wallet"));
  }

  async function useWallets(): Promise<void> {
    const user = { bearer: await service.token("alice"), key: null };
    const started = await succeed(service.post("/wallets/", { name: "Office" }, user));
    const signature = await owner.signTypedData(JSON.parse(started.serializedValue));
    const proof = { ethereumAddress: owner.address, signature };
    await succeed(service.post(`/wallets/${started.id}/confirm`, proof, user));
    await succeed(service.get("/wallets/", user));
    await succeed(service.remove(`/wallets/${started.id}`, user));
  }

  async function useWebhooks(): Promise<void> {
    const { id } = await succeed(service.post("/webhooks/", { url: "https://receiver.example/" }));
    await succeed(service.get("/webhooks/"));
    await succeed(service.get(`/webhooks/${id}`));
    const delivery = await succeed(service.post(`/webhooks/${id}/test`));
    await succeed(service.post(`/webhooks/${id}/deliveries/${delivery.id}/redeliver`));
    await succeed(service.post(`/webhooks/${id}/redeliver`, { after: 0 }));
    await succeed(service.get(`/webhooks/${id}/deliveries/`));
    await succeed(service.patch(`/webhooks/${id}`, { state: "paused" }));
    await succeed(service.post(`/webhooks/${id}/secret`));
    await succeed(service.remove(`/webhooks/${id}`));
  }

  async function useService(): Promise<void> {
    const open = allRoutes.filter(({ access }) => access === "open");
    for (const { path } of open) await succeed(service.get(path, { key: null }));
  }

  async function usePublic(id: string): Promise<void> {
    await service.rig.mine(4);
    await service.rig.caughtUp();
    await succeed(service.get(`/assets/${id}/proof`));
    for (const path of ["", "/links", "/proof"])
      await succeed(service.get(`/public/assets/${id}${path}`, { key: null }));
    await succeed(service.get(`/public/assets/?hash=${"2c".repeat(32)}`, { key: null }));
  }
});
