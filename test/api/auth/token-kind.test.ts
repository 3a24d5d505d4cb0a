import { expect } from "chai";
import { startApi, type TestApi } from "../../support/api.ts";
import { type Issuer, startIssuer } from "../../support/issuer.ts";

const ours = "asset-registry";
const shared = { aud: [ours, "https://provider.example/userinfo"], azp: "page" };

/** Access tokens as providers make them, for several audiences, asked for by a page of its own client id. */
const accessTokens: Record<string, [claims: Record<string, unknown>, type?: string]> = {
  "RFC 9068": [{ ...shared, client_id: "page", jti: "1" }, "at+jwt"],
  "the media type in full": [shared, "Application/AT+JWT"],
  Auth0: [{ ...shared, scope: "openid profile", gty: "password" }, "JWT"],
  "Auth0 without scopes": [{ ...shared, permissions: ["read"] }, "JWT"],
  Keycloak: [{ ...shared, aud: [ours, "account", "other"], typ: "Bearer", scope: "", nonce: "n" }, "JWT"],
  "Keycloak, a lightweight one": [{ ...shared, typ: "Bearer", jti: "1" }, "JWT"],
  Zitadel: [{ ...shared, aud: ["page", "2893", ours], jti: "1", nbf: 1 }],
  "Zitadel, with its client": [{ ...shared, client_id: "page", jti: "1" }],
  Okta: [{ ...shared, scp: ["openid"], cid: "page", uid: "00u1", auth_time: 1, ver: 1, jti: "1" }],
  Entra: [{ ...shared, scp: "access_as_user", ver: "2.0", azpacr: "1" }, "JWT"],
  "Entra, of version 1": [{ ...shared, azp: undefined, appid: "page", scp: "user", amr: ["pwd"], acr: "1" }],
  "Cognito, without an audience": [
    { aud: undefined, client_id: ours, token_use: "access", scope: "openid", username: "alice" },
  ],
};

const idTokens: Record<string, Record<string, unknown>> = {
  "with no mark at all": shared,
  "with a nonce": { ...shared, nonce: "n" },
  "with the hash of an access token": { ...shared, at_hash: "x", scope: "openid" },
  "of Keycloak": { ...shared, typ: "ID", sid: "1", jti: "1" },
  "of Zitadel": { ...shared, amr: ["pwd"], auth_time: 1, client_id: "page" },
  "of Cognito": { ...shared, token_use: "id" },
};

const noSignIns: Record<string, [claims: Record<string, unknown>, type?: string]> = {
  "a logout token": [
    { events: { "http://schemas.openid.net/event/backchannel-logout": {} }, jti: "1" },
    "logout+jwt",
  ],
  "a logout token without its type": [
    { events: { "http://schemas.openid.net/event/backchannel-logout": {} } },
    "JWT",
  ],
  "an event of any other form": [{ events: [] }],
  "the type of a logout token alone": [{}, "logout+jwt"],
  "a security event token": [{}, "secevent+jwt"],
  "a security event token in full": [{}, "application/secevent+jwt"],
  "a proof of possession": [{}, "dpop+jwt"],
  "an answer of introspection": [{}, "token-introspection+jwt"],
  "a request object": [{}, "oauth-authz-req+jwt"],
  "a type that is empty": [{}, ""],
  "a refresh token of Keycloak": [{ typ: "Refresh", scope: "openid" }, "JWT"],
  "an offline token of Keycloak": [{ typ: "Offline" }, "JWT"],
  "a logout token of Keycloak": [{ typ: "Logout" }, "JWT"],
  "a token of another use": [{ token_use: "refresh" }],
  "a use that is no text": [{ token_use: 5 }],
  "a token bound to a key (DPoP)": [{ cnf: { jkt: "x" }, scope: "openid" }, "at+jwt"],
  "a token bound to a certificate": [{ cnf: { "x5t#S256": "x" } }],
};

describe("what a token is for", () => {
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

  async function ask(claims: Record<string, unknown>, typ?: string, its = api) {
    const bearer = await issuer.token(claims, typ === undefined ? {} : { typ });
    return await its.get("/wallets/", { key: null, bearer });
  }

  for (const [name, [claims, typ]] of Object.entries(accessTokens)) {
    it(`takes an access token for us among others, whoever asked for it: ${name}`, async () => {
      expect((await ask(claims, typ)).error).to.equal(undefined);
    });
  }

  for (const [name, claims] of Object.entries(idTokens)) {
    it(`refuses an ID token for several that was issued to another party: ${name}`, async () => {
      const { status, error } = await ask(claims);
      expect(status).to.equal(401);
      expect(error?.message).to.contain("azp");
      expect((await ask({ ...claims, azp: ours })).status).to.equal(200);
    });
  }

  for (const [name, [claims, typ]] of Object.entries(noSignIns)) {
    it(`takes none for a sign-in: ${name}`, async () => {
      const { status, error } = await ask(claims, typ);
      expect(status).to.equal(401);
      expect(error?.code).to.equal("IDENTITY_TOKEN_INVALID");
      expect(error?.message).to.match(/its type|reports an event|bound to a key|typ or token_use/);
    });
  }

  it("takes the client of a token for its audience from Cognito's access tokens alone", async () => {
    for (const claims of [
      { aud: undefined, client_id: ours },
      { aud: undefined, client_id: "other", token_use: "access" },
      { aud: undefined, client_id: ours, token_use: "id" },
      { aud: "other", client_id: ours, token_use: "access" },
      { aud: [], client_id: ours, token_use: "access" },
    ]) {
      expect((await ask(claims)).status, JSON.stringify(claims)).to.equal(401);
    }
  });

  describe("given the clients that the operator takes tokens of", () => {
    let strict: TestApi;
    before(async () => {
      const environment = { OIDC_AUTHORIZED_PARTIES: `page, ${ours}` };
      strict = await startApi({ issuer: issuer.url, environment });
    });
    after(() => strict.stop());

    it("takes tokens that were issued to one of them", async () => {
      for (const claims of [
        { azp: "page" },
        { client_id: "page", scope: "openid" },
        { cid: "page", scp: [] },
        { appid: "page", scp: "" },
        { nonce: "n" },
        { ...shared, nonce: "n" },
      ]) {
        expect((await ask(claims, "JWT", strict)).status, JSON.stringify(claims)).to.equal(200);
      }
    });

    it("refuses those of any other client, and those that name none", async () => {
      for (const claims of [
        { azp: "other" },
        { azp: "other", client_id: "page", scope: "" },
        { azp: ["page"] },
        { scope: "openid" },
        { ...shared, azp: undefined },
      ]) {
        const { status, error } = await ask(claims, "JWT", strict);
        expect(status, JSON.stringify(claims)).to.equal(401);
        expect(error?.message).to.contain("OIDC_AUTHORIZED_PARTIES");
      }
    });
  });
});
