import { expect } from "chai";
import { printedTexts } from "../../../../web/src/pages/certificate/shorten.ts";

const none = {
  ...{ name: "", data: "", fileName: "", fileType: "", fileSize: "", method: "", hash: "", uri: "" },
};

describe("the texts of a certificate", () => {
  it("are those that the asset has, in one order, with spaces for line breaks", () => {
    const texts = printedTexts({ ...none, data: "a\nb\tc", name: "Lease" });
    expect(texts).to.deep.equal([
      { field: "name", text: "Lease", isWhole: true },
      { field: "data", text: "a b c", isWhole: true },
    ]);
  });

  it("are shortened to a length that has room together, codes of what cannot be seen included", () => {
    const long = Object.fromEntries(Object.keys(none).map((name) => [name, "\u202ex".repeat(100_000)]));
    const texts = printedTexts(long as typeof none);
    expect(texts).to.have.length(8);
    const width = texts.reduce((sum, { text }) => sum + (text.length / 2) * 8, 0);
    expect(width).to.be.below(1_300);
    for (const { isWhole } of texts) expect(isWhole).to.equal(false);
  });

  it("keep a hash whole that the service takes as one", () => {
    const hash = "f".repeat(256);
    expect(printedTexts({ ...none, hash })).to.deep.equal([{ field: "hash", text: hash, isWhole: true }]);
  });

  it("cut no character in two", () => {
    const [{ text } = { text: "" }] = printedTexts({ ...none, fileType: "😀".repeat(30) });
    expect(text).to.equal("😀".repeat(18));
  });
});
