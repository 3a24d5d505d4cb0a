import { expect } from "chai";
import { apiKey, readApiKey } from "../../../web/src/service/api-key.ts";

describe("the API key of a tab", () => {
  afterEach(() => apiKey.set(undefined));

  it("is none until it is given, and none again when it is forgotten; whoever watches is told", () => {
    const seen: (string | undefined)[] = [];
    const end = apiKey.subscribe(() => seen.push(apiKey.get()));
    expect(apiKey.get()).to.equal(undefined);
    apiKey.set("secret");
    apiKey.set(undefined);
    end();
    apiKey.set("other");
    expect(seen).to.deep.equal(["secret", undefined]);
  });

  it("is read without the white space around it, and not where a header cannot carry it", () => {
    expect(readApiKey(" ak_1.2-3 \r\n")).to.equal("ak_1.2-3");
    for (const none of ["", "  ", "two words", "schlüssel", "a\0b", "x".repeat(513)]) {
      expect(readApiKey(none), JSON.stringify(none)).to.equal(undefined);
    }
  });
});
