import { expect } from "chai";
import { createRemoteJWKSet, jwtVerify } from "jose";

import { DEVELOPER_LOGIN } from "../../../scripts/local/developer-login.ts";
import { type IdentityProvider, startIdentityProvider } from "../../../scripts/local/identity-provider.ts";
import { runNode } from "../../support/program.ts";

const audience = "asset-registry";

describe("the identity provider for development", () => {
  let provider: IdentityProvider;

  before(async () => {
    provider = await startIdentityProvider({ port: 0, audience });
  });
  after(() => provider.stop());

  const verify = (token: string) =>
    jwtVerify(token, createRemoteJWKSet(new URL(`${provider.issuer}/jwks`)), {
      issuer: provider.issuer,
      audience,
    });

  /** `npm run token`, with the arguments after `--`. */
  const token = (...args: string[]) => {
    const { OIDC_ISSUER: _, OIDC_PORT: __, OIDC_AUDIENCE: ___, ...env } = process.env;
    return runNode(["scripts/token.ts", ...args], { env }).ended;
  };

  it("publishes what an OpenID client looks for", async () => {
    const response = await fetch(`${provider.issuer}/.well-known/openid-configuration`);
    const document = (await response.json()) as Record<string, unknown>;
    expect(document).to.include({ issuer: provider.issuer, jwks_uri: `${provider.issuer}/jwks` });
    expect(document["grant_types_supported"]).to.include.members(["authorization_code", DEVELOPER_LOGIN]);
  });

  it("shows a login page to a browser", async () => {
    const parameters = new URLSearchParams({
      client_id: audience,
      response_type: "code",
      scope: "openid",
      redirect_uri: "http://127.0.0.1:3000/callback",
      code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
      code_challenge_method: "S256",
    });
    const response = await fetch(`${provider.issuer}/auth?${parameters}`, { redirect: "manual" });
    expect(response.status).to.equal(303);
    expect(response.headers.get("location")).to.match(/^\/sign-in\//);
  });

  describe("npm run token", () => {
    it("prints a token of that user for an hour, and nothing else", async () => {
      const { code, stdout, stderr } = await token("alice", "--issuer", provider.issuer);
      expect({ code, stderr }).to.deep.equal({ code: 0, stderr: "" });
      const { payload, protectedHeader } = await verify(stdout.trimEnd());
      expect(payload.sub).to.equal("alice");
      expect((payload.exp ?? 0) - (payload.iat ?? 0)).to.equal(3_600);
      expect(protectedHeader.alg).to.equal("ES256");
    });

    it("takes e-mail addresses", async () => {
      const { stdout } = await token("bob.b+1@example.org", "--issuer", `${provider.issuer}/`);
      expect((await verify(stdout.trimEnd())).payload.sub).to.equal("bob.b+1@example.org");
    });

    for (const user of ["", "a b", "-x", "a".repeat(65), "<script>"]) {
      it(`refuses the user name ${JSON.stringify(user.slice(0, 10))} in plain words`, async () => {
        const { code, stdout, stderr } = await token("--issuer", provider.issuer, "--", user);
        expect({ code, stdout }).to.deep.equal({ code: 1, stdout: "" });
        expect(stderr).to.match(/^A user name has 1 to 64 /);
      });
    }

    it("says when no provider answers", async () => {
      const { code, stderr } = await token("alice", "--issuer", "http://127.0.0.1:1");
      expect({ code, stderr }).to.deep.equal({
        code: 1,
        stderr: "No answer from the identity provider at http://127.0.0.1:1: is `npm start` running?\n",
      });
    });

    it("explains itself", async () => {
      expect(await token("--help")).to.include({ code: 0, stderr: "" });
      const { code, stderr } = await token();
      expect(code).to.equal(1);
      expect(stderr).to.match(/^Usage: /);
    });
  });

  it("refuses such a user name itself too", async () => {
    const body = new URLSearchParams({ grant_type: DEVELOPER_LOGIN, client_id: audience, user: "a b" });
    const response = await fetch(`${provider.issuer}/token`, { method: "POST", body });
    expect(response.status).to.equal(400);
  });
});
