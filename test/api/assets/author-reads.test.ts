import { expect } from "chai";
import { expectError, keys, startApi, type TestApi } from "../../support/api.ts";
import { other, owner } from "../../support/chain/accounts.ts";
import { chainFacts } from "../../support/database/chain-facts.ts";
import { type Issuer, startIssuer } from "../../support/issuer.ts";

describe("what a user reads with a token alone", () => {
  let issuer: Issuer;
  let api: TestApi;
  let alice: string;
  let bob: string;
  let onChain: string;
  let hers: { id: string; transactionId: string };
  let his: { id: string };

  before(async () => {
    issuer = await startIssuer();
    api = await startApi({ issuer: issuer.url });
    [alice, bob] = await Promise.all([issuer.token(), issuer.token({ sub: "bob" })]);
    await api.pool.query(
      `insert into service.wallets (id, issuer, subject, name, description, address)
       values (gen_random_uuid(), $1, 'alice', '', '', decode($2, 'hex'))`,
      [issuer.url, owner.address.slice(2)],
    );
    onChain = await chainFacts(api.pool, api.registry).asset();
    hers = (await api.post("/assets/", { name: "Hers", author: owner.address })).value;
    const tenantB = { key: keys["tenant-b"] };
    his = (await api.post("/assets/", { name: "His", author: other.address }, tenantB)).value;
  });
  after(async () => {
    await api.stop();
    await issuer.stop();
  });

  const as = (bearer: string) => ({ key: null, bearer });
  const paths = (id: string) => [`/assets/${id}`, `/assets/${id}/status`, `/assets/${id}/links`];

  it("is what waits for one of the user's wallets, whichever tenant asked for it", async () => {
    const [asset, status, links] = await Promise.all(paths(hers.id).map((path) => api.get(path, as(alice))));
    const { id, transactionId } = hers;
    const signUrl = `https://registry.example/console/sign/${transactionId}`;
    expect(asset?.value).to.include({ id, transactionId, signUrl, state: "Received" });
    expect(status?.value).to.include({ id, transactionId, signUrl, state: "Received" });
    expect(links?.value).to.deep.equal({ from: [], to: [] });
  });

  it("is what is on the chain, to every user, and by a path in capitals or with a slash", async () => {
    for (const path of paths(onChain)) {
      for (const bearer of [alice, bob]) expect((await api.get(path, as(bearer))).status).to.equal(200);
      expect((await api.get(`${path}/`, as(bob))).status).to.equal(200);
      const capitals = path.replace(onChain.slice(2), onChain.slice(2).toUpperCase());
      expect((await api.get(capitals, as(bob))).status).to.equal(200);
    }
  });

  it("is nothing that waits for somebody else", async () => {
    for (const path of paths(hers.id)) expectError(await api.get(path, as(bob)), 404, "ASSET_NOT_FOUND");
    for (const path of paths(his.id)) expectError(await api.get(path, as(alice)), 404, "ASSET_NOT_FOUND");
  });

  it("ends with the wallet", async () => {
    const { rows } = await api.pool.query("delete from service.wallets returning *");
    for (const path of paths(hers.id)) expectError(await api.get(path, as(alice)), 404, "ASSET_NOT_FOUND");
    const [{ id, issuer: its, subject, address }] = rows as [Record<string, unknown>];
    await api.pool.query(
      `insert into service.wallets (id, issuer, subject, name, description, address)
       values ($1, $2, $3, '', '', $4)`,
      [id, its, subject, address],
    );
    expect((await api.get(`/assets/${hers.id}`, as(alice))).status).to.equal(200);
  });

  it("is no list and no change: those need a key", async () => {
    const target = { targetAssetIds: [onChain] };
    for (const answer of [
      await api.get("/assets/", as(alice)),
      await api.post("/assets/", { name: "x", author: owner.address }, as(alice)),
      await api.post(`/assets/${hers.id}/links`, target, as(alice)),
      await api.patch(`/assets/${hers.id}/links`, target, as(alice)),
    ]) {
      expectError(answer, 401, "API_KEY_MISSING");
    }
  });

  it("counts for the user's address, as everything without a key does", async () => {
    const limited = await startApi({ issuer: issuer.url, environment: { RATE_LIMIT_ADDRESS: "3" } });
    try {
      const path = paths(`0x${"0".repeat(64)}`);
      for (const one of path) expectError(await limited.get(one, as(alice)), 404, "ASSET_NOT_FOUND");
      for (const one of path) expectError(await limited.get(one, as(alice)), 429, "RATE_LIMITED");
      expectError(await limited.get(path[0] ?? ""), 404, "ASSET_NOT_FOUND");
    } finally {
      await limited.stop();
    }
  });
});
