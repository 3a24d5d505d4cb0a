import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { insertKey, keyDigest, revokeKey, rotateKey } from "../../../db/service/api-keys.ts";
import type { AssetId } from "../../../domain/asset/asset.ts";
import { owner } from "../../support/accounts.ts";
import { type Answer, expectError, keys, startApi, type TestApi } from "../../support/api.ts";
import { chainFacts } from "../../support/chain-facts.ts";
import { readRaw, sendRaw } from "../../support/raw-http.ts";

const actor = "me@here";

/** A key is looked for by itself when it is seen first, and from then on together with what it is used for. */
describe("the shortcut for keys that were seen before", () => {
  let api: TestApi;
  let id: AssetId;
  let pending: AssetId;
  /** First words of the statements that the API has asked the database. */
  let asked: string[];

  before(async () => {
    api = await startApi({ environment: { RATE_LIMIT: "1000", RATE_LIMIT_FAILURES: "1000" } });
    const facts = chainFacts(api.pool, api.registry);
    id = await facts.asset({ name: 'A "name"', data: "é\n\\", uri: "https://example.org" });
    await facts.link(id, await facts.asset());
    await facts.link(await facts.asset(), id);
    pending = (await api.post("/assets/", { name: "Lease", author: owner.address })).value.id;
    const query = api.pool.query.bind(api.pool) as (...given: unknown[]) => unknown;
    api.pool.query = ((...given: [string | { text: string }]) => {
      const [question] = given;
      asked.push(typeof question === "string" ? question : question.text);
      return query(...given);
    }) as typeof api.pool.query;
  });
  beforeEach(() => {
    asked = [];
  });
  after(() => api.stop());

  type Made = { key: string; keyId: string };

  async function makeKey(
    tenant = "tenant-a",
    scopes: ("read" | "write")[] = ["read", "write"],
  ): Promise<Made> {
    const made = { key: `key-of-the-database-${randomUUID()}`, keyId: randomUUID() };
    const row = { id: made.keyId, tenant, name: "", digest: keyDigest(made.key), scopes };
    await insertKey(api.pool, row, actor);
    return made;
  }

  const paths = () => [`/assets/${id}`, `/assets/${id}/status`, `/assets/${id}/links`];
  const reads = () => asked.filter((text) => !text.includes("last_used_at"));
  /** Without what is another for each request. */
  const lasting = ({ status, value, error, headers }: Answer) => ({
    ...{ status, value, error },
    headers: [...headers].filter(([name]) => !["x-request-id", "date", "ratelimit"].includes(name)),
  });

  it("answers the same as the way through the router, by one question instead of two", async () => {
    for (const path of paths()) {
      const { key } = await makeKey();
      asked = [];
      const first = await api.get(path, { key });
      expect(reads()).to.have.length(2);
      asked = [];
      const second = await api.get(path, { key });
      expect(reads()).to.have.length(1);
      expect(first.status).to.equal(200);
      expect(lasting(second)).to.deep.equal(lasting(first));
    }
  });

  it("ends with the key: once it is revoked, nothing is answered any more", async () => {
    for (const path of paths()) {
      const { key, keyId } = await makeKey();
      for (let time = 0; time < 2; time += 1) expect((await api.get(path, { key })).status).to.equal(200);
      await revokeKey(api.pool, keyId, actor);
      expectError(await api.get(path, { key }), 401, "API_KEY_INVALID");
      expectError(await api.get(path, { key }), 401, "API_KEY_INVALID");
    }
  });

  it("tells nobody with a revoked key whether there is an asset", async () => {
    const { key, keyId } = await makeKey();
    const unknown = `/assets/0x${"0".repeat(64)}`;
    for (let time = 0; time < 2; time += 1)
      expectError(await api.get(unknown, { key }), 404, "ASSET_NOT_FOUND");
    await revokeKey(api.pool, keyId, actor);
    expectError(await api.get(unknown, { key }), 401, "API_KEY_INVALID");
  });

  it("goes by each secret of a key that is rotated for as long as that one works", async () => {
    const { key, keyId } = await makeKey();
    const [path = ""] = paths();
    expect((await api.get(path, { key })).status).to.equal(200);
    const newer = `key-of-the-database-${randomUUID()}`;
    await rotateKey(api.pool, { id: keyId, digest: keyDigest(newer), overlapSeconds: 60 }, actor);
    for (let time = 0; time < 2; time += 1) {
      for (const secret of [key, newer]) expect((await api.get(path, { key: secret })).status).to.equal(200);
    }
    await api.pool.query(
      "update service.api_keys set previous_until = now() - interval '1 second' where id = $1",
      [keyId],
    );
    expectError(await api.get(path, { key }), 401, "API_KEY_INVALID");
    expect((await api.get(path, { key: newer })).status).to.equal(200);
  });

  it("goes by what the key is now: another tenant, and a scope that does not allow it", async () => {
    const { key, keyId } = await makeKey();
    const own = `/assets/${pending}`;
    for (let time = 0; time < 2; time += 1) expect((await api.get(own, { key })).status).to.equal(200);
    const become = (column: string, value: unknown) =>
      api.pool.query(`update service.api_keys set ${column} = $2 where id = $1`, [keyId, value]);
    await become("tenant", "tenant-b");
    expectError(await api.get(own, { key }), 404, "ASSET_NOT_FOUND");
    await become("tenant", "tenant-a");
    expect((await api.get(own, { key })).status).to.equal(200);
    await become("scopes", ["write"]);
    expectError(await api.get(own, { key }), 403, "KEY_SCOPE_TOO_NARROW");
  });

  it("settles many keys at once, each by itself", async () => {
    const [path = ""] = paths();
    const made = await Promise.all(Array.from({ length: 12 }, () => makeKey()));
    await Promise.all(made.map(({ key }) => api.get(path, { key })));
    const revoked = made.filter((_, index) => index % 3 === 0);
    await Promise.all(revoked.map(({ keyId }) => revokeKey(api.pool, keyId, actor)));
    const statuses = await Promise.all(
      made.map(async (one) => (await api.get(path, { key: one.key })).status),
    );
    expect(statuses).to.deep.equal(made.map((one) => (revoked.includes(one) ? 401 : 200)));
  });

  it("counts each request once against the key's limit, and none against it that the router answers", async () => {
    const { key, keyId } = await makeKey();
    const left = ({ headers }: Answer) => Number(/r=(\d+)/.exec(headers.get("ratelimit") ?? "")?.[1]);
    for (const [index, path] of [...paths(), ...paths(), "/assets/nonsense"].entries()) {
      expect(left(await api.get(path, { key }))).to.equal(999 - index);
    }
    await revokeKey(api.pool, keyId, actor);
    const { headers } = await api.get(`/assets/${id}`, { key });
    expect(headers.get("ratelimit")).not.to.include('"key"');
  });

  it("writes one line for each request, with its route and without its path", async () => {
    const { key } = await makeKey();
    await api.get(`/assets/${id}/links`, { key });
    const before = api.lines.length;
    const requestId = "a-request-of-the-shortcut";
    await api.get(`/assets/${id}/links`, { key, headers: { "X-Request-Id": requestId } });
    const lines = api.lines.slice(before).filter((line) => line.includes(requestId));
    expect(lines).to.have.length(1);
    expect(JSON.parse(lines[0] ?? "")).to.include({ route: "/assets/{assetId}/links", status: 200 });
    expect(lines.join()).not.to.include(id);
  });

  it("takes nothing that is out of the ordinary", async () => {
    const key = keys["tenant-a"];
    const ask = async (lines: string[]) =>
      (await readRaw(await sendRaw(api.port, `${lines.join("\r\n")}\r\nConnection: close\r\n\r\n`))).status;
    const get = `GET /assets/${id} HTTP/1.1`;
    expect(await ask([get, "Host: a", `X-API-KEY: ${key}`])).to.equal(200);
    expect(await ask([get, "Host: a", "Host: b", `X-API-KEY: ${key}`])).to.equal(400);
    expect(await ask([get, `X-API-KEY: ${key}`])).to.equal(400);
    expect(await ask([get, "Host: a", `X-API-KEY: ${key}`, `X-API-KEY: ${key}`])).to.equal(401);
    expect(await ask([get, "Host: a", `X-API-KEY: ${key}`, "Authorization: Bearer bad"])).to.equal(401);
    expect(await ask([get.replace(" HTTP", "?page=1 HTTP"), "Host: a", `X-API-KEY: ${key}`])).to.equal(400);
    expect(await ask([get.replace("GET", "HEAD"), "Host: a", `X-API-KEY: ${key}`])).to.equal(200);
  });
});
