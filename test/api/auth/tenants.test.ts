import { expect } from "chai";
import { allRoutes } from "../../../api/routes.ts";
import { type Answer, expectError, keys, startApi, type TestApi } from "../../support/api.ts";
import { owner } from "../../support/chain/accounts.ts";
import { chainFacts } from "../../support/database/chain-facts.ts";

/**
 * The operations that show or change what belongs to the key's tenant, and those that show what is everybody's. Webhooks
 * of other tenants have tests of their own.
 */
const ofTenants = allRoutes.filter(
  ({ access, path }) => ["key", "either", "public"].includes(access) && !path.startsWith("/webhooks/"),
);

type Pending = { id: string; transactionId: string };

describe("a request that is not on the chain yet, to the key of another tenant", () => {
  let api: TestApi;
  let pending: Pending;
  let onChain: string;

  before(async () => {
    api = await startApi();
    onChain = await chainFacts(api.pool, api.registry).asset();
    const asked = { name: "secret lease", author: owner.address, hash };
    pending = (await api.post("/assets/", asked)).value;
  });
  after(() => api.stop());

  const hash = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
  const theirs = { key: keys["tenant-b"] };
  const hidden = (answer: Answer) => expectError(answer, 404, "ASSET_NOT_FOUND");

  const checks: Record<string, () => Promise<void>> = {
    "POST /assets/": async () => {
      const same = await api.post("/assets/", { name: "secret lease", author: owner.address }, theirs);
      expect(same.status).to.equal(202);
      expect(same.value.id).to.not.equal(pending.id);
      expect(same.value.transactionId).to.not.equal(pending.transactionId);
    },
    "GET /assets/": async () => {
      const ids = async (options = {}) =>
        (await api.get("/assets/?state=Received", options)).value.map(({ id }: Pending) => id);
      expect(await ids(theirs)).to.not.include(pending.id);
      expect(await ids()).to.deep.equal([pending.id]);
    },
    "GET /assets/{assetId}": async () => void hidden(await api.get(`/assets/${pending.id}`, theirs)),
    "GET /assets/{assetId}/status": async () =>
      void hidden(await api.get(`/assets/${pending.id}/status`, theirs)),
    "GET /assets/{assetId}/links": async () =>
      void hidden(await api.get(`/assets/${pending.id}/links`, theirs)),
    "POST /assets/{assetId}/links": async () => {
      hidden(await api.post(`/assets/${pending.id}/links`, { targetAssetIds: [onChain] }, theirs));
      const asTarget = await api.post(`/assets/${onChain}/links`, { targetAssetIds: [pending.id] }, theirs);
      expectError(asTarget, 422, "TARGET_NOT_FOUND");
    },
    "PATCH /assets/{assetId}/links": async () => {
      hidden(await api.patch(`/assets/${pending.id}/links`, { targetAssetIds: [onChain] }, theirs));
    },
    "GET /public/assets/": async () => {
      expect((await api.get(`/public/assets/?hash=${hash}`, theirs)).value).to.deep.equal([]);
    },
    "GET /public/assets/{assetId}": async () =>
      void hidden(await api.get(`/public/assets/${pending.id}`, theirs)),
    "GET /public/assets/{assetId}/links": async () =>
      void hidden(await api.get(`/public/assets/${pending.id}/links`, theirs)),
    "GET /assets/{assetId}/proof": async () =>
      void hidden(await api.get(`/assets/${pending.id}/proof`, theirs)),
    "GET /public/assets/{assetId}/proof": async () =>
      void hidden(await api.get(`/public/assets/${pending.id}/proof`, theirs)),
    "GET /transactions/": async () => {
      const { value } = await api.get("/transactions/", theirs);
      expect(value.map(({ assetId }: { assetId: string }) => assetId)).to.not.include(pending.id);
      expect((await api.get("/transactions/")).value).to.have.length(1);
    },
  };

  it("is looked for by every operation that a key may call", () => {
    expect(Object.keys(checks)).to.have.members(
      ofTenants.map(({ method, path }) => `${method.toUpperCase()} ${path}`),
    );
  });

  for (const [operation, check] of Object.entries(checks)) it(`does not exist for ${operation}`, check);
});
