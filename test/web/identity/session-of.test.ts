import { expect } from "chai";
import { type Identity, sessionOf, type Tokens } from "../../../web/src/identity/session-of.ts";
import { SignInProblem } from "../../../web/src/identity/sign-in-problem.ts";
import { tokenParameters } from "../../../web/src/identity/token-parameters.ts";

const identity: Identity = {
  issuer: "https://id.example/",
  clientId: "console",
  audience: "console",
  scope: "openid profile",
};
const profile = { iss: identity.issuer, aud: "console", sub: "auth0|5f7c", iat: 1_000, exp: 4_600 };
const tokens = (changes: Partial<Tokens> = {}): Tokens => ({
  id_token: "the-id-token",
  access_token: "the-access-token",
  expires_in: 60,
  profile,
  ...changes,
});

describe("the session of a sign-in", () => {
  it("sends the ID token where it is made for the service, for as long as it is good", () => {
    expect(sessionOf(identity, tokens(), 5_000)).to.deep.equal({
      token: "the-id-token",
      idToken: "the-id-token",
      issuer: identity.issuer,
      subject: "auth0|5f7c",
      name: "auth0|5f7c",
      // Whatever the clock of the provider says.
      endsAt: 5_000 + 3_600_000,
    });
  });

  it("sends the access token where the service has an audience of its own", () => {
    const own = { ...identity, audience: "https://registry.example" };
    const { token, idToken, endsAt } = sessionOf(own, tokens(), 0);
    expect({ token, idToken, endsAt }).to.deep.equal({
      token: "the-access-token",
      idToken: "the-id-token",
      endsAt: 60_000,
    });
    expect(sessionOf(own, tokens({ expires_in: undefined }), 0).endsAt).to.equal(3_600_000);
    expect(() => sessionOf(own, tokens({ access_token: "" }), 0)).to.throw(SignInProblem);
  });

  it("asks for an access token that is made for the service, where it is sent one", () => {
    expect(tokenParameters({ clientId: "console", audience: "console" })).to.deep.equal({});
    expect(tokenParameters({ clientId: "console", audience: "registry" })).to.deep.equal({
      extraQueryParams: { audience: "registry" },
      extraTokenParams: {},
    });
    expect(tokenParameters({ clientId: "console", audience: "https://registry.example" })).to.deep.equal({
      extraQueryParams: { audience: "https://registry.example" },
      resource: "https://registry.example",
      extraTokenParams: { resource: "https://registry.example" },
    });
  });

  it("calls the user by the first claim that says something", () => {
    const called = (claims: object) =>
      sessionOf(identity, tokens({ profile: { ...profile, ...claims } }), 0).name;
    expect(called({ name: "Alice Example", email: "a@example" })).to.equal("Alice Example");
    expect(called({ name: "  ", preferred_username: "alice" })).to.equal("alice");
    expect(called({ name: 5, email: "a@example" })).to.equal("a@example");
    expect(called({ name: "a".repeat(5_000) })).to.have.length(200);
  });

  it("takes no tokens of another provider, for another client, or of nobody", () => {
    for (const claims of [
      { iss: "https://id.example" },
      { iss: undefined },
      { aud: "another" },
      { aud: ["another"] },
      { aud: undefined },
      { sub: undefined },
    ]) {
      const wrong = tokens({ profile: { ...profile, ...claims } });
      expect(() => sessionOf(identity, wrong, 0), JSON.stringify(claims)).to.throw(
        SignInProblem,
        "BAD_ANSWER",
      );
    }
    expect(
      sessionOf(identity, tokens({ profile: { ...profile, aud: ["another", "console"] } }), 0).subject,
    ).to.equal(profile.sub);
  });
});
