import { expect } from "chai";
import { isTooLong, labelsOf } from "../../../../web/src/pages/wallets/rules/labels.ts";
import { tokenNames } from "../../../../web/src/pages/wallets/rules/token-names.ts";

const token = (claims: unknown) =>
  `e30.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.signature`;

describe("texts of a wallet's connection", () => {
  it("finds the user in the claims of the token, whichever names them", () => {
    expect(tokenNames(token({ sub: "alice" }), "alice")).to.equal(true);
    expect(tokenNames(token({ sub: "x", oid: "Zoë ✓" }), "Zoë ✓")).to.equal(true);
    expect(tokenNames(token({ sub: "alice" }), "bob")).to.equal(false);
    expect(tokenNames(token({ sub: "" }), "")).to.equal(false);
    for (const broken of [
      "",
      "a.b",
      "..",
      "a.!!.c",
      token(null),
      token("alice"),
      `${token({ sub: "alice" })}`.repeat(2_000),
    ]) {
      expect(tokenNames(broken, "alice")).to.equal(false);
    }
  });

  it("counts characters as the service does, and leaves empty labels out", () => {
    expect(isTooLong("🦊".repeat(256), 256)).to.equal(false);
    expect(isTooLong("🦊".repeat(257), 256)).to.equal(true);
    expect(labelsOf(" Office ", "  ")).to.deep.equal({ name: "Office" });
    expect(labelsOf("", "at home")).to.deep.equal({ description: "at home" });
  });
});
