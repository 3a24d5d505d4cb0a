import { expect } from "chai";
import { startApi, type TestApi } from "../../support/api.ts";
import { type Issuer, startIssuer } from "../../support/issuer.ts";

describe("the user that a token names", () => {
  let issuer: Issuer;
  let another: Issuer;
  let api: TestApi;
  let byObject: TestApi;
  before(async () => {
    [issuer, another] = await Promise.all([startIssuer(), startIssuer()]);
    api = await startApi({ issuer: issuer.url });
    const environment = { OIDC_ISSUER: `${issuer.url},${another.url}`, OIDC_USER_CLAIM: "oid,email" };
    byObject = await startApi({ environment });
  });
  after(async () => {
    await Promise.all([api.stop(), byObject.stop()]);
    await Promise.all([issuer.stop(), another.stop()]);
  });

  const tokenOf = (claims: Record<string, unknown>) => issuer.token(claims);
  const list = (bearer: string, its = api) => its.get("/wallets/", { key: null, bearer });
  async function userIdOf(bearer: string, its = api): Promise<unknown> {
    const answer = await its.post("/wallets/", {}, { key: null, bearer });
    return answer.value?.userId;
  }

  for (const sub of [
    "Not supported currently. Use oid claim.",
    " not supported currently. use oid claim. ",
    "null",
    "undefined",
    "None",
    "anonymous",
    "[object Object]",
    "00000000-0000-0000-0000-000000000000",
  ]) {
    it(`refuses a name that is the same for everybody: ${sub}`, async () => {
      const { status, error } = await list(await tokenOf({ sub, oid: "b0b" }));
      expect(status).to.equal(401);
      expect(error?.message).to.contain("OIDC_USER_CLAIM");
    });
  }

  for (const [name, sub, words] of [
    ["missing", undefined, "is missing"],
    ["empty", "", "is empty"],
    ["blank", " \u00a0\t", "is empty"],
    ["null", null, "is not a text"],
    ["a number", 7, "is not a text"],
    ["true", true, "is not a text"],
    ["a list", ["alice"], "is not a text"],
    ["an object", { id: "alice" }, "is not a text"],
    ["too long", "a".repeat(256), "is longer than 255"],
    ["a text with NUL", "a\0b", "characters that no user name may have"],
    ["a text with a line break", "alice\nbob", "characters that no user name may have"],
    ["a text with an escape", "alice\u001b[2J", "characters that no user name may have"],
    ["a text written backwards", "alice\u202e", "characters that no user name may have"],
    ["a text with a letter that is not seen", "al\u200bice", "characters that no user name may have"],
    ["a broken text", "alice\ud800", "characters that no user name may have"],
  ] as const) {
    it(`refuses a name that is ${name}`, async () => {
      const { status, error } = await list(await tokenOf({ sub }));
      expect(status).to.equal(401);
      expect(error?.message).to.contain("sub").and.to.contain(words);
    });
  }

  it("takes a name of any script, and of 255 characters", async () => {
    for (const sub of ["łukasz@example", "auth0|5f7c8ec7c33c6c004bbafe82", "山田", "a".repeat(255), "0"]) {
      expect((await list(await tokenOf({ sub }))).status, sub).to.equal(200);
    }
  });

  it("takes the claim that the operator names, so that users of Azure AD B2C are held apart", async () => {
    const sub = "Not supported currently. Use oid claim.";
    const [alice, bob] = await Promise.all([tokenOf({ sub, oid: "a11ce" }), tokenOf({ sub, oid: "b0b" })]);
    await byObject.pool.query(
      `insert into service.wallets (id, issuer, subject, name, description, address)
       values (gen_random_uuid(), $1, 'a11ce', '', '', decode('${"ab".repeat(20)}', 'hex'))`,
      [issuer.url],
    );
    expect((await list(alice, byObject)).value).to.have.length(1);
    expect((await list(bob, byObject)).value).to.deep.equal([]);
    expect((await list(await tokenOf({}), byObject)).error?.message)
      .to.contain("oid")
      .and.contain("missing");
    expect((await list(await tokenOf({ sub: undefined, oid: "b0b" }), byObject)).status).to.equal(200);
  });

  it("takes each issuer's own claim, and an email address only where it is verified", async () => {
    const email = "alice@example.org";
    expect((await list(await another.token({ email, email_verified: true }), byObject)).status).to.equal(200);
    for (const email_verified of [undefined, false, "true"]) {
      const { status, error } = await list(await another.token({ email, email_verified }), byObject);
      expect(status).to.equal(401);
      expect(error?.message).to.contain("not verified");
    }
  });

  it("answers that claim as the user's id", async () => {
    expect(await userIdOf(await tokenOf({ oid: "a11ce" }), byObject)).to.equal("a11ce");
  });
});
