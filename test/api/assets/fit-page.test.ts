import { expect } from "chai";
import { fitPage } from "../../../api/assets/fit-page.ts";
import { limits } from "../../../domain/limits.ts";

describe("a page that fits into an answer", () => {
  const pageOf = (count: number, text: string, asked = count) =>
    fitPage(Array(count).fill(text), () => ({ characters: text.length, links: 0 }), asked);

  it("is large by the bytes that it has, not by those that it might have", () => {
    expect(pageOf(200, "x".repeat(460))).to.include({ entries: 200, small: undefined });
    // Six bytes of JSON each: 550 KB.
    expect(pageOf(200, "\u0001".repeat(460))).to.include({ entries: 200, small: 23 });
  });

  it("is large where it ends early, and then a page of one such entry is small", () => {
    const text = "x".repeat(limits.answerBytes);
    expect(pageOf(3, text)).to.deep.equal({ assets: [text], entries: 1, small: 1 });
    // The database read no more of them.
    expect(pageOf(2, "x", 3)).to.include({ entries: 2, small: 1 });
  });

  it("has what is there still, and covers what is gone", () => {
    const page = fitPage(["a", undefined, "b"], () => ({ characters: 1, links: 0 }), 3);
    expect(page).to.deep.equal({ assets: ["a", "b"], entries: 3, small: undefined });
  });
});
