import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import type { ServerResponse } from "node:http";
import { expect } from "chai";
import { exportJWK } from "jose";
import { expectError, startApi, type TestApi } from "../../support/api.ts";
import { type Issuer, startIssuer } from "../../support/issuer.ts";

type Instead = (response: ServerResponse) => void;

const withStatus =
  (status: number, headers: Record<string, string> = {}): Instead =>
  (response) => {
    response.writeHead(status, headers).end();
  };
const withBody =
  (body: string, type = "application/json"): Instead =>
  (response) => {
    response.writeHead(200, { "content-type": type }).end(body);
  };
/** A document that is right at its beginning and never ends, at full speed or a byte at a time. */
const endless =
  (part: string, pause: number): Instead =>
  (response) => {
    response.writeHead(200, { "content-type": "application/json" });
    const timer = setInterval(() => response.write(part), pause);
    response.on("close", () => clearInterval(timer));
  };

const broken: Record<string, [Instead, words: string]> = {
  "a redirect": [
    withStatus(301, { location: "https://login.example/moved?secret" }),
    "https://login.example/moved:",
  ],
  "a redirect to nowhere": [withStatus(302), "status 302"],
  "a redirect that cannot be read": [withStatus(307, { location: "http://[" }), "status 307"],
  "not found": [withStatus(404), "status 404"],
  "too many requests": [withStatus(429), "status 429"],
  HTML: [withBody("<html>Sign in</html>", "text/html"), "is not JSON"],
  "nothing at all": [withBody(""), "is not JSON"],
  null: [withBody("null"), "names no issuer"],
  "a list": [withBody("[]"), "names no issuer"],
  "a document without an end": [endless("x".repeat(100_000), 1), "larger than 1 MiB"],
  "an answer that never comes": [() => undefined, "within 2500 ms"],
  "a byte at a time": [endless(" ", 100), "within 2500 ms"],
  "an answer that breaks off": [
    (response) => {
      response.writeHead(200, { "content-length": "100" });
      response.write("{");
      setTimeout(() => response.destroy(), 20);
    },
    "breaks off",
  ],
};

describe("the identity provider's documents", () => {
  let issuer: Issuer;
  let api: TestApi;
  beforeEach(async () => {
    issuer = await startIssuer();
    api = await startApi({ issuer: issuer.url });
  });
  afterEach(async () => {
    await api.stop();
    await issuer.stop();
  });
  const ask = (bearer: string) => api.get("/wallets/", { key: null, bearer });

  it("says what is wrong with a description that cannot be used, and goes on when it can", async () => {
    const bearer = await issuer.token();
    for (const [name, [instead, words]] of Object.entries(broken)) {
      issuer.state.answers.description = instead;
      const answer = await ask(bearer);
      expectError(answer, 503, "IDENTITY_PROVIDER_UNAVAILABLE");
      expect(answer.error?.message, name).to.contain(words).and.not.contain("secret");
    }
    issuer.state.answers.description = undefined;
    expect((await ask(bearer)).status).to.equal(200);
  });

  it("says what is wrong with keys that cannot be used, and goes on when they can", async () => {
    const bearer = await issuer.token();
    const bodies = { null: "null", "no list": '{"keys":{}}', "a list alone": "[]" };
    const others = ["a redirect", "not found", "HTML", "a document without an end", "a byte at a time"];
    for (const [name, instead, words] of [
      ...others.map((name) => [name, ...(broken[name] as [Instead, string])] as const),
      ...Object.entries(bodies).map(([name, body]) => [name, withBody(body), "no set of keys"] as const),
    ]) {
      issuer.state.answers.keys = instead;
      const answer = await ask(bearer);
      expectError(answer, 503, "IDENTITY_PROVIDER_UNAVAILABLE");
      expect(answer.error?.message, name).to.contain(words);
    }
    issuer.state.answers.keys = undefined;
    expect((await ask(bearer)).status).to.equal(200);
  });

  it("lets nobody wait while a description that was read before is read again", async () => {
    const clock = Date.now;
    try {
      expect((await ask(await issuer.token())).status).to.equal(200);
      Date.now = () => clock() + 400_000;
      await issuer.addKey("key-2");
      expect((await ask(await issuer.token({}, { kid: "made-up" }))).status).to.equal(401);
      // The keys are four minutes old now, and the description more than ten.
      Date.now = () => clock() + 640_000;
      let asked = 0;
      issuer.state.answers.description = () => {
        asked += 1;
      };
      const bearer = await issuer.token({ exp: Math.floor(Date.now() / 1000) + 300 });
      const started = performance.now();
      for (let count = 0; count < 5; count += 1) expect((await ask(bearer)).status).to.equal(200);
      expect(performance.now() - started).to.be.below(2_000);
      expect(asked).to.equal(1);
    } finally {
      Date.now = clock;
    }
  });

  it("names the issuer where it differs in the slash at its end", async () => {
    issuer.state.issuerName = `${issuer.url}/`;
    const answer = await ask(await issuer.token());
    expectError(answer, 503, "IDENTITY_PROVIDER_UNAVAILABLE");
    expect(answer.error?.message).to.contain(`"${issuer.url}/"`).and.contain("OIDC_ISSUER");
    const other = await ask(await issuer.token({ iss: `${issuer.url}/` }));
    expectError(other, 401, "IDENTITY_TOKEN_INVALID");
    expect(other.error?.message).to.contain("slash");
  });

  it("takes the tokens of good keys whatever stands beside them", async () => {
    const { jwk } = issuer.firstKey();
    issuer.state.otherKeys = [
      null,
      "key",
      [],
      {},
      { kty: "RSA" },
      { kty: "RSA", kid: "cut", n: "AQAB", e: "!" },
      { kty: "EC", crv: "P-256", kid: "off-curve", x: "AAAA", y: "AAAA", alg: "ES256" },
      { kty: "oct", k: "c2VjcmV0", alg: "HS256" },
      { kty: "AKP", alg: "ML-DSA-44", pub: "x" },
      { ...jwk, kid: "other", use: "enc" },
      { ...jwk, kid: 5 },
    ];
    expect((await ask(await issuer.token())).status).to.equal(200);
    expectError(await ask(await issuer.token({}, { kid: "cut" })), 401, "IDENTITY_TOKEN_INVALID");
  });

  it("tries every key that fits a token which names none, or one of two with the same id", async () => {
    const second = await issuer.addKey("key-1");
    expect((await ask(await issuer.token())).status).to.equal(200);
    expect((await ask(await issuer.token({}, {}, second.privateKey))).status).to.equal(200);
    const nameless = await issuer.token({}, { kid: undefined } as object, second.privateKey);
    expect((await ask(nameless)).status).to.equal(200);
    const stranger = await startIssuer();
    const forged = await stranger.token({ iss: issuer.url });
    await stranger.stop();
    const answer = await ask(forged);
    expectError(answer, 401, "IDENTITY_TOKEN_INVALID");
    expect(answer.error?.message).to.contain("signature is wrong");
  });

  describe("given a key that is too weak, or whose private part is published", () => {
    function signWith(key: KeyObject, kid: string): string {
      const claims = { iss: issuer.url, sub: "alice", aud: "asset-registry", exp: Date.now() / 1000 + 300 };
      const text = Buffer.from(JSON.stringify(claims));
      const header = Buffer.from(JSON.stringify({ alg: "RS256", kid })).toString("base64url");
      const signed = `${header}.${text.toString("base64url")}`;
      return `${signed}.${sign("sha256", Buffer.from(signed), key).toString("base64url")}`;
    }

    it("answers 401 and says so, and takes the tokens of the other keys", async () => {
      const weak = generateKeyPairSync("rsa", { modulusLength: 1024 });
      const open = generateKeyPairSync("rsa", { modulusLength: 2048 });
      issuer.state.otherKeys = [
        { ...(await exportJWK(weak.publicKey)), kid: "weak", alg: "RS256" },
        { ...(await exportJWK(open.privateKey)), kid: "open" },
      ];
      for (const [key, kid, words] of [
        [weak.privateKey, "weak", "RSA key of 1024 bits, and at least 2048"],
        [open.privateKey, "open", "private part is published"],
      ] as const) {
        const answer = await ask(signWith(key, kid));
        expectError(answer, 401, "IDENTITY_TOKEN_INVALID");
        expect(answer.error?.message).to.contain(words);
      }
      expect((await ask(await issuer.token())).status).to.equal(200);
    });
  });
});
