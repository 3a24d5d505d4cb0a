import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { scopeOf } from "../../../api/operation/route.ts";
import { allRoutes } from "../../../api/routes.ts";
import { insertKey, keyDigest, keyScopes, listKeys, revokeKey } from "../../../db/service/api-keys.ts";
import { expectError, keys, startApi, type TestApi } from "../../support/api.ts";
import { owner } from "../../support/chain/accounts.ts";
import { eventually } from "../../support/eventually.ts";
import { type Issuer, startIssuer } from "../../support/issuer.ts";
import { readRaw, sendRaw } from "../../support/raw-http.ts";

describe("access", () => {
  let issuer: Issuer;
  let api: TestApi;
  before(async () => {
    issuer = await startIssuer();
    api = await startApi({ issuer: issuer.url });
  });
  after(async () => {
    await api.stop();
    await issuer.stop();
  });

  const unknownAsset = `/assets/0x${"0".repeat(64)}`;

  for (const route of allRoutes) {
    const path = route.path.replace(/\{\w+\}/, "0".repeat(8));
    const method = route.method.toUpperCase();

    if (route.access === "key") {
      it(`${method} ${route.path} needs a key, and a good token beside it where one is sent`, async () => {
        expectError(await api.call(method, path, { key: null }), 401, "API_KEY_MISSING");
        expectError(await api.call(method, path, { key: "wrong" }), 401, "API_KEY_INVALID");
        const bearer = await issuer.token();
        expectError(await api.call(method, path, { key: null, bearer }), 401, "API_KEY_MISSING");
        expectError(await api.call(method, path, { bearer: "bad" }), 401, "IDENTITY_TOKEN_INVALID");
        expect((await api.call(method, path, { bearer })).status).to.be.oneOf([200, 400, 404]);
      });
    }
    if (route.access === "either") {
      it(`${method} ${route.path} needs a key or a token, and takes no bad one beside a good one`, async () => {
        expectError(await api.call(method, path, { key: null }), 401, "API_KEY_MISSING");
        const bearer = await issuer.token();
        expectError(await api.call(method, path, { key: "wrong", bearer }), 401, "API_KEY_INVALID");
        expectError(await api.call(method, path, { bearer: "bad" }), 401, "IDENTITY_TOKEN_INVALID");
        const alone = await api.call(method, path, { key: null, bearer: "bad" });
        expectError(alone, 401, "IDENTITY_TOKEN_INVALID");
        for (const call of [{ bearer }, { key: null, bearer }, { key: keys["tenant-a"] }]) {
          expect((await api.call(method, path, call)).status).to.be.oneOf([200, 400, 404]);
        }
      });
    }
    if (route.access === "bearer") {
      it(`${method} ${route.path} needs an identity token, and a good key beside it where one is sent`, async () => {
        expectError(await api.call(method, path, { key: keys["tenant-a"] }), 401, "IDENTITY_TOKEN_MISSING");
        expectError(
          await api.call(method, path, { key: null, bearer: "bad" }),
          401,
          "IDENTITY_TOKEN_INVALID",
        );
        const bearer = await issuer.token();
        expectError(await api.call(method, path, { key: "wrong", bearer }), 401, "API_KEY_INVALID");
        expect((await api.call(method, path, { key: null, bearer })).status).to.be.oneOf([
          200, 201, 400, 404,
        ]);
      });
    }
    if (route.access === "capability") {
      it(`${method} ${route.path} needs the id alone`, async () => {
        const isOfEvents = route.path.startsWith("/events/");
        const known = isOfEvents ? `${path}?transactionId=${"0".repeat(8)}` : path;
        expect((await api.call(method, known, { key: null })).status).to.be.oneOf([400, 404]);
        if (isOfEvents) expectError(await api.call(method, path, { key: null }), 401, "API_KEY_MISSING");
        expectError(await api.call(method, path, { key: "wrong" }), 401, "API_KEY_INVALID");
      });
    }
    if (route.access === "open") {
      it(`${method} ${route.path} is open to everybody`, async () => {
        expect((await api.call(method, path, { key: "wrong" })).status).to.be.oneOf([200, 503]);
      });
    }
  }

  it("refuses a key with a space in it, one in the query, two headers, and a guess", async () => {
    const key = keys["tenant-a"];
    expectError(
      await api.get(unknownAsset, { key: `${key.slice(0, 5)} ${key.slice(5)}` }),
      401,
      "API_KEY_INVALID",
    );
    expectError(
      await api.get(`${unknownAsset}?X-API-KEY=${key}&api_key=${key}`, { key: null }),
      401,
      "API_KEY_MISSING",
    );
    const twice = await sendRaw(
      api.port,
      `GET ${unknownAsset} HTTP/1.1\r\nHost: a\r\nX-API-KEY: ${key}\r\nX-Api-Key: ${key}\r\nConnection: close\r\n\r\n`,
    );
    expect(readRaw(twice).status).to.equal(401);
    expect(JSON.parse(readRaw(twice).body).error.code).to.equal("API_KEY_INVALID");
    expectError(await api.get(unknownAsset, { key: "guess-1" }), 401, "API_KEY_INVALID");
    expectError(await api.get(unknownAsset), 404, "ASSET_NOT_FOUND");
  });

  it("refuses two Authorization headers, of which Node would drop one", async () => {
    const token = await issuer.token();
    const answer = readRaw(
      await sendRaw(
        api.port,
        `GET /wallets/ HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\nAuthorization: Bearer ${token}\r\nConnection: close\r\n\r\n`,
      ),
    );
    expect(answer.status).to.equal(401);
    expect(JSON.parse(answer.body).error.code).to.equal("IDENTITY_TOKEN_INVALID");
  });

  it("takes a key of the database until it is revoked", async () => {
    const id = randomUUID();
    const key = "a-key-of-the-database-0123456789";
    await insertKey(api.pool, { id, tenant: "tenant-c", name: "test", digest: keyDigest(key) }, "test");
    const created = await api.post("/assets/", { name: "A", author: owner.address }, { key });
    expect(created.status).to.equal(202);
    expectError(await api.get(`/assets/${created.value.id}`), 404, "ASSET_NOT_FOUND");
    await revokeKey(api.pool, id, "test");
    const refused = await eventually(
      "the key is refused",
      () => api.get(`/assets/${created.value.id}`, { key }),
      ({ status }) => status === 401,
    );
    expectError(refused, 401, "API_KEY_INVALID");
  });

  for (const scope of keyScopes) {
    it(`lets a key of scope ${scope} do that alone, wherever it is sent`, async () => {
      const key = `a-key-of-scope-${scope}-0123456789`;
      const made = {
        id: randomUUID(),
        tenant: "tenant-c",
        name: "",
        digest: keyDigest(key),
        scopes: [scope],
      };
      await insertKey(api.pool, made, "test");
      const bearer = await issuer.token();
      for (const route of allRoutes.filter(({ access }) => access !== "open" && access !== "public")) {
        const path = route.path.replace(/\{\w+\}/, "0".repeat(8));
        const method = route.method.toUpperCase();
        const answer = await api.call(method, path, { key, bearer });
        if (scopeOf(route) === scope) expect(answer.status).to.be.oneOf([200, 201, 400, 404]);
        else expectError(answer, 403, "KEY_SCOPE_TOO_NARROW");
      }
    });
  }

  it("notes when a key of the database was used, and none that it refuses", async () => {
    const [used, unused] = [randomUUID(), randomUUID()];
    for (const id of [used, unused]) {
      await insertKey(api.pool, { id, tenant: "tenant-c", name: "", digest: keyDigest(`key ${id}`) }, "test");
    }
    await api.get(unknownAsset, { key: `key ${used}` });
    await api.get(unknownAsset, { key: `key ${unused}x` });
    const lastUses = async () =>
      new Map((await listKeys(api.pool)).map(({ id, lastUsedAt }) => [id, lastUsedAt]));
    await eventually("a note of the use", lastUses, (uses) => uses.get(used) !== undefined);
    expect((await lastUses()).get(unused)).to.equal(undefined);
  });

  it("names the scheme that is missing", async () => {
    const noKey = await api.get(unknownAsset, { key: null });
    expect(noKey.headers.get("www-authenticate")).to.contain("ApiKey");
    const noToken = await api.get("/wallets/", { key: null });
    expect(noToken.headers.get("www-authenticate")).to.contain("Bearer");
  });

  it("writes no key, no token, no signature and no body into the log", async () => {
    const bearer = await issuer.token();
    const secret = "a text that nobody may find in a log";
    await api.post("/assets/", { name: secret, author: owner.address, unknown: secret }, { bearer });
    await api.post("/assets/", `{"name":"${secret}`, { bearer });
    const created = await api.post("/assets/", { name: secret, author: owner.address });
    await api.get(`/transactions/${created.value.transactionId}`);
    await api.post(`/transactions/${created.value.transactionId}/revoke`, {
      signature: `0x${"ab".repeat(65)}`,
    });
    const log = api.lines.join("");
    expect(log).to.contain('"route":"/transactions/{transactionId}/revoke"');
    for (const hidden of [
      ...Object.values(keys),
      "guess-1",
      bearer,
      secret,
      "abababab",
      created.value.transactionId,
    ]) {
      expect(log.includes(hidden)).to.equal(false);
    }
  });
});
