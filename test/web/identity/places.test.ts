import { expect } from "chai";
import { isOwnPlace } from "../../../web/src/identity/own-place.ts";
import { readReturnPath } from "../../../web/src/identity/return-path.ts";

describe("the places of a sign-in", () => {
  it("leads back to pages of the console alone", () => {
    for (const path of ["/", "/inbox", "/wallets?a=b", "/assets/0x12", "/sign/ddc3911c"]) {
      expect(readReturnPath(path)).to.equal(path);
    }
    const wrong = [
      "",
      "inbox",
      "//evil.example",
      "/\\evil.example",
      "https://evil.example",
      "javascript:alert(1)",
    ];
    for (const path of [
      ...wrong,
      "/signed-in",
      "/signed-in?code=1",
      `/${"a".repeat(2_000)}`,
      undefined,
      null,
      5,
      {},
    ]) {
      expect(readReturnPath(path), String(path)).to.equal("/inbox");
    }
  });

  it("signs in at the service's own address, or anywhere on the visitor's own machine", () => {
    const own = (publicUrl: string, origin: string) => isOwnPlace(publicUrl, origin);
    expect(own("https://registry.example", "https://registry.example")).to.equal(true);
    expect(own("https://registry.example/api", "https://registry.example")).to.equal(true);
    expect(own("http://127.0.0.1:3000", "http://localhost:3000")).to.equal(true);
    expect(own("https://registry.example", "https://www.registry.example")).to.equal(false);
    expect(own("https://registry.example", "http://registry.example")).to.equal(false);
    expect(own("https://registry.example", "http://localhost:3000")).to.equal(false);
    expect(own("http://localhost:3000", "http://localhost.evil.example")).to.equal(false);
  });
});
