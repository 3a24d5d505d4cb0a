import { expect } from "chai";
import { requireSame } from "../../../../web/src/pages/sign/rules/same-request.ts";
import { other } from "../../../support/chain/accounts.ts";
import { asked, details } from "./asked.ts";

describe("a request that is read anew", () => {
  const shown = asked("link");
  const read = (id: string, request: typeof shown) => {
    try {
      return requireSame(id, shown, request);
    } catch (error) {
      return (error as { obstacle?: string }).obstacle;
    }
  };

  it("is taken where it asks for what was shown, whatever else has changed", () => {
    const { call } = shown;
    const [parent, children] = [call.arguments["parent"], call.arguments["children"]];
    for (const same of [
      shown,
      asked("link", { gas: "0x1", gasPrice: "0x2", nonce: 7, nextNonce: 7, gasless: null }),
      asked("link", { state: "Submitted", to: null, data: null, value: null, refusal: null, gasless: null }),
      asked("link", { call: { arguments: { children, parent }, function: call.function } as never }),
      asked("link", { expiresAt: "2026-11-28T03:00:00.000+00:00" }),
    ]) {
      expect(read(shown.id.toUpperCase(), same)).to.equal(same);
    }
    expect(requireSame(shown.id, undefined, shown)).to.equal(shown);
  });

  it("is refused where it asks for something else, though it is true in itself", () => {
    const children = [`0x${"cc".repeat(32)}`];
    for (const changed of [
      asked("create"),
      asked("revoke"),
      asked("link", { call: { ...shown.call, arguments: { ...shown.call.arguments, children } } }),
      asked("link", { signer: other.address }),
      asked("link", { assetId: `0x${"cc".repeat(32)}` }),
      asked("link", { expiresAt: "2027-12-05T02:10:43.510+00:00" }),
      asked("link", { expiresAt: "never" }),
    ]) {
      expect(read(shown.id, changed)).to.equal("CHANGED");
    }
    expect(read("another-id", shown)).to.equal("CHANGED");
    const gift = asked("create", {
      call: { function: "createAsset", arguments: { salt: "0x", details: { ...details, name: "Gift" } } },
    });
    expect(() => requireSame(gift.id, asked("create"), gift)).to.throw();
  });
});
