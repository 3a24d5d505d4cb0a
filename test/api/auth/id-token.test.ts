import { createHmac } from "node:crypto";
import { expect } from "chai";
import { exportSPKI } from "jose";
import { expectError, keys, nowhere, startApi, type TestApi } from "../../support/api.ts";
import { type Issuer, startIssuer } from "../../support/issuer.ts";

const now = () => Math.floor(Date.now() / 1000);
const encode = (part: unknown) => Buffer.from(JSON.stringify(part)).toString("base64url");

describe("identity tokens", () => {
  let issuer: Issuer;
  let stranger: Issuer;
  let api: TestApi;

  before(async () => {
    [issuer, stranger] = await Promise.all([startIssuer(), startIssuer()]);
    api = await startApi({ issuer: issuer.url });
  });
  after(async () => {
    await api.stop();
    await Promise.all([issuer.stop(), stranger.stop()]);
  });

  const list = (bearer: string) => api.get("/wallets/", { key: null, bearer });
  const listWith = (Authorization: string) => api.get("/wallets/", { key: null, headers: { Authorization } });

  it("accepts a token of the issuer for this service, alone or among other audiences", async () => {
    for (const claims of [
      {},
      { aud: ["asset-registry"] },
      { aud: ["other", "asset-registry"], azp: "asset-registry" },
      { aud: ["other", "asset-registry"] },
      { nbf: now() - 60 },
    ]) {
      expect((await list(await issuer.token(claims))).status).to.equal(200);
    }
    const accessToken = await issuer.token(
      { aud: ["other", "asset-registry"], azp: "app" },
      { typ: "at+jwt" },
    );
    expect((await list(accessToken)).status).to.equal(200);
  });

  it("accepts the other asymmetric algorithms", async () => {
    for (const algorithm of ["PS256", "ES256", "EdDSA"]) {
      const itsIssuer = await startIssuer(algorithm);
      const itsApi = await startApi({ issuer: itsIssuer.url });
      try {
        const answer = await itsApi.get("/wallets/", { key: null, bearer: await itsIssuer.token() });
        expect(answer.status, algorithm).to.equal(200);
      } finally {
        await itsApi.stop();
        await itsIssuer.stop();
      }
    }
  });

  it("refuses tokens of others, for others, forged, cut, endless and doubled", async () => {
    const good = await issuer.token();
    const [header = "", payload = "", signature = ""] = good.split(".");
    const publicKey = await exportSPKI(issuer.firstKey().publicKey);
    const hs256 = `${encode({ alg: "HS256", kid: "key-1" })}.${payload}`;
    const cases: Record<string, string> = {
      "another audience": await issuer.token({ aud: "other" }),
      "audiences without ours": await issuer.token({ aud: ["other", "another"] }),
      "an access token for another service": await issuer.token({ aud: "other" }, { typ: "at+jwt" }),
      "issued to another party": await issuer.token({ aud: ["asset-registry", "other"], azp: "other" }),
      "no audience": await issuer.token({ aud: undefined }),
      "issuer with a slash more": await issuer.token({ iss: `${issuer.url}/` }),
      "another issuer": await stranger.token(),
      "another issuer under our name": await stranger.token({ iss: issuer.url }),
      "unsigned (none)": `${encode({ alg: "none" })}.${payload}.`,
      "HS256 with the public key": `${hs256}.${createHmac("sha256", publicKey).update(hs256).digest("base64url")}`,
      "a key that the issuer does not have": await issuer.token({}, { kid: "key-9" }),
      "signature cut": `${header}.${payload}.${signature.slice(0, -4)}`,
      "another payload": `${header}.${encode({ sub: "bob", iss: issuer.url, aud: "asset-registry", exp: now() + 60 })}.${signature}`,
      "no expiry": await issuer.token({ exp: undefined }),
      "no user": await issuer.token({ sub: undefined }),
      "an empty user": await issuer.token({ sub: "" }),
      "a user that is no text": await issuer.token({ sub: 5 }),
      "a user with NUL": await issuer.token({ sub: "a\0b" }),
      "a user of 256 characters": await issuer.token({ sub: "a".repeat(256) }),
      "15 KB and cut": (await issuer.token({ padding: "x".repeat(12_000) })).slice(0, 15_000),
      "no JWT": "nonsense",
    };
    for (const [name, token] of Object.entries(cases)) {
      const answer = await list(token);
      expect(answer.error?.code, name).to.equal("IDENTITY_TOKEN_INVALID");
      expect(answer.status).to.equal(401);
      expect(answer.headers.get("www-authenticate")).to.contain("Bearer");
    }
    for (const value of [
      "",
      "Bearer",
      "Bearer ",
      `Basic ${good}`,
      `Bearer ${good} ${good}`,
      good,
      `Bearer ${good}, Bearer ${good}`,
    ]) {
      expectError(await listWith(value), 401, "IDENTITY_TOKEN_INVALID");
    }
    expectError(await api.get("/wallets/", { key: null }), 401, "IDENTITY_TOKEN_MISSING");
  });

  it("refuses a token of 20 KB, however well it is signed", async () => {
    expectError(
      await list(await issuer.token({ padding: "x".repeat(15_000) })),
      401,
      "IDENTITY_TOKEN_INVALID",
    );
  });

  it("takes the scheme in any case", async () => {
    expect((await listWith(`bearer ${await issuer.token()}`)).status).to.equal(200);
  });

  it("allows 30 seconds between the clocks, on both ends, and no more", async () => {
    const statusOf = async (claims: Record<string, unknown>) =>
      (await list(await issuer.token(claims))).status;
    expect(await statusOf({ nbf: now() + 5, iat: now() + 5 })).to.equal(200);
    expect(await statusOf({ nbf: now() + 600 })).to.equal(401);
    expect(await statusOf({ iat: now() + 600 })).to.equal(401);
    expect(await statusOf({ exp: now() - 5 })).to.equal(200);
    expect(await statusOf({ exp: now() - 120 })).to.equal(401);
  });

  describe("given an issuer that changes its keys", () => {
    const clock = Date.now;
    let rotating: Issuer;
    let its: TestApi;
    beforeEach(async () => {
      rotating = await startIssuer();
      its = await startApi({ issuer: rotating.url });
    });
    afterEach(async () => {
      Date.now = clock;
      await its.stop();
      await rotating.stop();
    });
    const lasting = (header: object = {}) => rotating.token({ exp: now() + 3_600 }, header);
    const ask = (bearer: string) => its.get("/wallets/", { key: null, bearer });
    const statusOf = async (bearer: string) => (await ask(bearer)).status;

    it("takes the first tokens of a new key at once, and refuses those of a removed one within ten minutes", async () => {
      const old = await lasting();
      expect(await statusOf(old)).to.equal(200);
      await rotating.rotate("key-2");
      const fresh = await Promise.all(Array.from({ length: 20 }, () => lasting()));
      const reads = rotating.state.keyReads;
      expect(new Set(await Promise.all(fresh.map(statusOf)))).to.deep.equal(new Set([200]));
      expect(rotating.state.keyReads).to.equal(reads + 1);
      Date.now = () => clock() + 600_000;
      expect(await statusOf(old)).to.equal(401);
      expect(await statusOf(fresh[0] as string)).to.equal(200);
    });

    it("takes a new key half a minute late at most, though somebody makes up keys all the time", async () => {
      expect(await statusOf(await lasting())).to.equal(200);
      expect(await statusOf(await lasting({ kid: "made-up" }))).to.equal(401);
      await rotating.rotate("key-2");
      const fresh = await lasting();
      expect(await statusOf(fresh)).to.equal(401);
      Date.now = () => clock() + 31_000;
      expect(await statusOf(fresh)).to.equal(200);
    });

    it("answers 503 about a key that it does not know while it cannot look, and looks again when it can", async () => {
      expect(await statusOf(await lasting())).to.equal(200);
      await rotating.rotate("key-2");
      rotating.state.down = true;
      const fresh = await lasting();
      expectError(await ask(fresh), 503, "IDENTITY_PROVIDER_UNAVAILABLE");
      rotating.state.down = false;
      expect(await statusOf(fresh)).to.equal(200);
    });
  });

  describe("given several issuers", () => {
    let both: TestApi;
    before(async () => {
      const environment = {
        OIDC_ISSUER: `${issuer.url}, ${stranger.url}`,
        OIDC_AUDIENCE: "asset-registry, their-client",
      };
      both = await startApi({ environment });
    });
    after(() => both.stop());
    const listAs = (bearer: string) => both.get("/wallets/", { key: null, bearer });

    it("takes the tokens of each for its own audience, and of nobody else", async () => {
      expect((await listAs(await issuer.token())).status).to.equal(200);
      expect((await listAs(await stranger.token({ aud: "their-client" }))).status).to.equal(200);
      const third = await startIssuer();
      const foreign = await third.token().finally(() => third.stop());
      for (const token of [await issuer.token({ aud: "their-client" }), await stranger.token(), foreign]) {
        expectError(await listAs(token), 401, "IDENTITY_TOKEN_INVALID");
      }
    });

    it("refuses a token that names one issuer and is signed by the key of the other", async () => {
      for (const kid of [issuer.firstKey().kid, "key-of-the-second"]) {
        const forged = await stranger.token({ iss: issuer.url }, { kid });
        expectError(await listAs(forged), 401, "IDENTITY_TOKEN_INVALID");
      }
    });

    it("holds users of the same name at two issuers apart", async () => {
      const { rows } = await both.pool.query<{ id: string }>(
        `insert into service.wallets (id, issuer, subject, name, description, address)
         values (gen_random_uuid(), $1, $2, '', '', decode('${"ab".repeat(20)}', 'hex')) returning id`,
        [issuer.url, "alice"],
      );
      const theirs = await stranger.token({ aud: "their-client" });
      expect((await listAs(theirs)).value).to.deep.equal([]);
      const removed = await both.remove(`/wallets/${rows[0]?.id}`, { key: null, bearer: theirs });
      expectError(removed, 404, "WALLET_NOT_FOUND");
      expect((await listAs(await issuer.token())).value).to.have.length(1);
    });
  });

  it("reads the keys once for a thousand tokens with keys that do not exist", async () => {
    await list(await issuer.token());
    const before = issuer.state.keyReads;
    for (let index = 0; index < 1000; index += 50) {
      const tokens = await Promise.all(
        Array.from({ length: 50 }, (_, offset) => issuer.token({}, { kid: `random-${index + offset}` })),
      );
      const answers = await Promise.all(tokens.map(list));
      expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([401]));
    }
    expect(issuer.state.keyReads - before).to.be.at.most(1);
  });

  describe("given an identity provider that fails", () => {
    let broken: Issuer;
    beforeEach(async () => {
      broken = await startIssuer();
    });
    afterEach(() => broken.stop());

    const withApi = async (work: (its: TestApi) => Promise<void>, url = broken.url) => {
      const its = await startApi({ issuer: url });
      try {
        await work(its);
      } finally {
        await its.stop();
      }
    };

    it("answers 503 while nobody can tell, and works when it is back", async () => {
      await withApi(async (its) => {
        const bearer = await broken.token();
        broken.state.down = true;
        const answer = await its.get("/wallets/", { key: null, bearer });
        expectError(answer, 503, "IDENTITY_PROVIDER_UNAVAILABLE");
        expect((await its.get("/health", { key: null })).status).to.equal(200);
        broken.state.down = false;
        expect((await its.get("/wallets/", { key: null, bearer })).status).to.equal(200);
        broken.state.down = true;
        expect((await its.get("/wallets/", { key: null, bearer })).status).to.equal(200);
      });
    });

    it("answers 503 where nothing listens, and where the issuer calls itself by another name", async () => {
      const bearer = await broken.token();
      await withApi(async (its) => {
        const theirs = await broken.token({ iss: nowhere });
        expectError(
          await its.get("/wallets/", { key: null, bearer: theirs }),
          503,
          "IDENTITY_PROVIDER_UNAVAILABLE",
        );
      }, nowhere);
      broken.state.issuerName = "https://evil.test";
      await withApi(async (its) => {
        expectError(await its.get("/wallets/", { key: null, bearer }), 503, "IDENTITY_PROVIDER_UNAVAILABLE");
      });
    });

    it("leaves asset calls with a key alone untouched", async () => {
      await withApi(async (its) => {
        const unknown = `/assets/0x${"0".repeat(64)}`;
        expectError(await its.get(unknown, { key: keys["tenant-a"] }), 404, "ASSET_NOT_FOUND");
      }, nowhere);
    });
  });
});
