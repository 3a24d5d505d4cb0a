import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { createKeyRing } from "../../../api/auth/api-keys.ts";
import { followNotifications } from "../../../db/core/notifications.ts";
import { isDirect } from "../../../db/core/pool.ts";
import { insertKey, keyDigest, revokeKey, rotateKey } from "../../../db/service/api-keys.ts";
import type { AssetId } from "../../../domain/asset/asset.ts";
import { type Answer, expectError, keys, startApi, type TestApi } from "../../support/api.ts";
import { owner } from "../../support/chain/accounts.ts";
import { chainFacts } from "../../support/database/chain-facts.ts";
import { eventually } from "../../support/eventually.ts";
import { readRaw, sendRaw } from "../../support/raw-http.ts";

const actor = "me@here";

/** A valid key is looked up once a second at most, and again at once where any key has changed. */
describe("keys of the database that were seen before", () => {
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

  it("are not looked up again for the next request, which one statement answers", async () => {
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

  it("are not answered any more once they are revoked", async () => {
    for (const path of paths()) {
      const { key, keyId } = await makeKey();
      for (let time = 0; time < 2; time += 1) expect((await api.get(path, { key })).status).to.equal(200);
      await revokeKey(api.pool, keyId, actor);
      await eventually(
        "the key works otherwise",
        async () => (await api.get(path, { key })).status,
        (status) => status === 401,
      );
      expectError(await api.get(path, { key }), 401, "API_KEY_INVALID");
    }
  });

  it("are forgotten at the news of a change, however long they would be remembered", async () => {
    const maxAge = (await isDirect(api.pool)) ? 600_000 : 100;
    const ring = createKeyRing(api.pool, [], api.services.log, maxAge);
    const stop = new AbortController();
    const watching = followNotifications(api.pool, { api_keys: ring.expire }, stop.signal);
    try {
      const { key, keyId } = await makeKey();
      const find = () => ring.find(key, () => {});
      expect((await find())?.id).to.equal(keyId);
      await revokeKey(api.pool, keyId, actor);
      await eventually(
        "the key is unknown",
        async () => (await find())?.id,
        (found) => found === undefined,
      );
    } finally {
      stop.abort();
      await watching;
    }
  });

  it("are looked up again after a while where no news arrives", async () => {
    const ring = createKeyRing(api.pool, [], api.services.log, 50);
    const { key, keyId } = await makeKey();
    expect((await ring.find(key, () => {}))?.id).to.equal(keyId);
    await revokeKey(api.pool, keyId, actor);
    await eventually(
      "the key is unknown",
      async () => (await ring.find(key, () => {}))?.id,
      (found) => found === undefined,
    );
  });

  it("are valid from the first request on, though they were asked for before they were made", async () => {
    const [path = ""] = paths();
    const made = { key: `key-of-the-database-${randomUUID()}`, keyId: randomUUID() };
    expectError(await api.get(path, { key: made.key }), 401, "API_KEY_INVALID");
    const row = { id: made.keyId, tenant: "tenant-a", name: "", digest: keyDigest(made.key) };
    await insertKey(api.pool, row, actor);
    expect((await api.get(path, { key: made.key })).status).to.equal(200);
  });

  it("tell nobody whether there is an asset once they are revoked", async () => {
    const { key, keyId } = await makeKey();
    const unknown = `/assets/0x${"0".repeat(64)}`;
    for (let time = 0; time < 2; time += 1)
      expectError(await api.get(unknown, { key }), 404, "ASSET_NOT_FOUND");
    await revokeKey(api.pool, keyId, actor);
    await eventually(
      "the key works otherwise",
      async () => (await api.get(unknown, { key })).status,
      (status) => status === 401,
    );
  });

  it("have two secrets after a rotation for as long as the old one works", async () => {
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
    await eventually(
      "the key works otherwise",
      async () => (await api.get(path, { key })).status,
      (status) => status === 401,
    );
    expect((await api.get(path, { key: newer })).status).to.equal(200);
  });

  it("are what they are now: of another tenant, and of a scope that does not allow it", async () => {
    const { key, keyId } = await makeKey();
    const own = `/assets/${pending}`;
    for (let time = 0; time < 2; time += 1) expect((await api.get(own, { key })).status).to.equal(200);
    const become = (column: string, value: unknown) =>
      api.pool.query(`update service.api_keys set ${column} = $2 where id = $1`, [keyId, value]);
    await become("tenant", "tenant-b");
    await eventually(
      "the key works otherwise",
      async () => (await api.get(own, { key })).status,
      (status) => status === 404,
    );
    await become("tenant", "tenant-a");
    await eventually(
      "the key works otherwise",
      async () => (await api.get(own, { key })).status,
      (status) => status === 200,
    );
    await become("scopes", ["write"]);
    await eventually(
      "the key works otherwise",
      async () => (await api.get(own, { key })).status,
      (status) => status === 403,
    );
    expectError(await api.get(own, { key }), 403, "KEY_SCOPE_TOO_NARROW");
  });

  it("are looked up together, and each by itself", async () => {
    const [path = ""] = paths();
    const made = await Promise.all(Array.from({ length: 12 }, () => makeKey()));
    await Promise.all(made.map(({ key }) => api.get(path, { key })));
    const revoked = made.filter((_, index) => index % 3 === 0);
    await Promise.all(revoked.map(({ keyId }) => revokeKey(api.pool, keyId, actor)));
    const wanted = made.map((one) => (revoked.includes(one) ? 401 : 200));
    const statuses = async () =>
      (await Promise.all(made.map(({ key }) => api.get(path, { key })))).map(({ status }) => status);
    await eventually("the revoked keys alone are refused", statuses, (all) => all.join() === wanted.join());
  });

  it("are counted once for each request against their limit, and no more once they are revoked", async () => {
    const { key, keyId } = await makeKey();
    const left = ({ headers }: Answer) => Number(/r=(\d+)/.exec(headers.get("ratelimit") ?? "")?.[1]);
    for (const [index, path] of [...paths(), ...paths(), "/assets/nonsense"].entries()) {
      expect(left(await api.get(path, { key }))).to.equal(999 - index);
    }
    await revokeKey(api.pool, keyId, actor);
    await eventually(
      "the key works otherwise",
      async () => (await api.get(`/assets/${id}`, { key })).status,
      (status) => status === 401,
    );
    const { headers } = await api.get(`/assets/${id}`, { key });
    expect(headers.get("ratelimit")).not.to.include('"key"');
  });

  it("have one line in the log for each request, with its route and without its path", async () => {
    const { key } = await makeKey();
    await api.get(`/assets/${id}/links`, { key });
    const before = api.lines.length;
    const requestId = "a-request-with-a-known-key";
    await api.get(`/assets/${id}/links`, { key, headers: { "X-Request-Id": requestId } });
    const lines = api.lines.slice(before).filter((line) => line.includes(requestId));
    expect(lines).to.have.length(1);
    expect(JSON.parse(lines[0] ?? "")).to.include({ route: "/assets/{assetId}/links", status: 200 });
    expect(lines.join()).not.to.include(id);
  });

  it("are no excuse for what is wrong with a request otherwise", async () => {
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
