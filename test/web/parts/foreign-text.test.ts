import { expect } from "chai";
import { beginningOf, readableName, segmentsOf } from "../../../web/src/parts/foreign-text.ts";

const code = (character: string) =>
  `U+${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, "0")}`;

describe("a text of somebody else's", () => {
  it("shows what reorders, joins or hides its neighbours by its code", () => {
    // The twelve that direct the order of letters, then those that nobody sees.
    const directing = [..."\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"];
    const unseen = [
      ..."\u200b\u200c\u200d\u2060\ufeff\u00ad\u0000\u001b\u007f\u2028\u2029\ufe0f\u{e0041}\u3164",
    ];
    expect(directing).to.have.length(12);
    for (const character of [...directing, ...unseen, "\ud800"]) {
      expect(segmentsOf(`a${character}b`), code(character)).to.deep.equal([
        { text: "a" },
        { code: code(character) },
        { text: "b" },
      ]);
    }
  });

  it("keeps every script, line breaks and a few marks on a letter, and no tower of marks", () => {
    for (const text of ["Straße\n\t5", "契約", "שלום", "e\u0301\u0323", "👍", ""]) {
      expect(segmentsOf(text)).to.deep.equal(text === "" ? [] : [{ text }]);
    }
    const tower = segmentsOf(`e${"\u0301".repeat(300)}`);
    expect(tower[0]).to.deep.equal({ text: `e${"\u0301".repeat(4)}` });
    expect(tower.slice(1)).to.deep.equal([{ code: "U+0301 ×296" }]);
  });

  it("becomes few elements however many characters nobody sees, and none of them is left out", () => {
    expect(segmentsOf("a\u200b\u200b\u200b\u200b\u202eb")).to.deep.equal([
      { text: "a" },
      ...Array.from({ length: 4 }, () => ({ code: "U+200B" })),
      { code: "U+202E" },
      { text: "b" },
    ]);
    const segments = segmentsOf("a\u200b".repeat(30_000));
    expect(segments).to.have.length(1_001);
    expect(segments.at(-1)).to.deep.equal({ text: "a[U+200B]".repeat(29_500) });
  });

  it("is cut between characters", () => {
    expect(beginningOf("abc", 3)).to.deep.equal({ shown: "abc", whole: true });
    expect(beginningOf("ab👍", 3)).to.deep.equal({ shown: "ab", whole: false });
  });

  it("stands in titles with its codes in brackets, and not longer than a title", () => {
    expect(readableName("invoice\u202efdp.exe")).to.equal("invoice[U+202E]fdp.exe");
    expect(readableName("x".repeat(1_000_000))).to.equal("x".repeat(60));
  });
});
