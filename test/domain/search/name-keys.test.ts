import { expect } from "chai";
import fc from "fast-check";
import { nameKey } from "../../../domain/search/search-keys.ts";

const every = Array.from({ length: 0x110000 }, (_, code) => code).filter(
  (code) => code < 0xd800 || code > 0xdfff,
);

describe("the key of a name", () => {
  it("leaves out every character that no reader sees, wherever it stands", () => {
    const invisible = every
      .map((code) => String.fromCodePoint(code))
      .filter((character) => /^[\p{Default_Ignorable_Code_Point}\u0640\ufff9-\ufffb]$/u.test(character));
    expect(invisible.length).to.be.above(4_000);
    for (const character of invisible) {
      const name = `${character}Ver${character}trag${character} ${character}7${character}`;
      expect(nameKey(name), character.codePointAt(0)?.toString(16)).to.equal("vertrag 7");
    }
  });

  it("puts together what a joiner had kept apart", () => {
    expect(nameKey("Mu\u200d\u0308ller")).to.equal(nameKey("Müller"));
    expect(nameKey("\u0645\u0640\u0640\u0640\u062d\u0645\u062f")).to.equal(
      nameKey("\u0645\u062d\u0645\u062f"),
    );
  });

  it("folds case in full, as Unicode says", () => {
    for (const [one, other] of [
      ["Straßenvertrag", "STRASSENVERTRAG"],
      ["STRAẞE", "strasse"],
      ["ΟΔΥΣΣΕΥΣ", "Οδυσσευς"],
      ["σοφός", "ΣΟΦΌΣ"],
      ["ﬁnance oﬃce", "FINANCE OFFICE"],
      ["ŉ", "ʼN"],
      ["և", "ԵՒ"],
      ["ǆ", "Ǆ"],
      ["ǰ", "J\u030c"],
      ["ΐ", "Ϊ\u0301"],
      ["ᾳ", "ΑΙ"],
      ["ſ", "S"],
      ["K", "k"],
      ["µ", "Μ"],
      ["Ꭰ", "ꭰ"],
      ["ᏸ", "Ᏸ"],
      ["ვეფხი", "ᲕᲔᲤᲮᲘ"],
    ] as const) {
      expect(nameKey(one), one).to.equal(nameKey(other));
    }
  });

  it("takes the four letters i of Turkish for one", () => {
    const key = nameKey("isparta");
    for (const name of ["ISPARTA", "ısparta", "İsparta", "i\u0307sparta", "I\u0307SPARTA"]) {
      expect(nameKey(name), name).to.equal(key);
    }
  });

  it("is one for all that a search without regard to case takes for the same", () => {
    for (const code of every) {
      const character = String.fromCodePoint(code);
      for (const other of [character.toLowerCase(), character.toUpperCase(), character.normalize("NFD")]) {
        if (other === character) continue;
        expect(nameKey(`a${other}`), code.toString(16)).to.equal(nameKey(`a${character}`));
      }
    }
  });

  it("is its own key, so that what is answered finds itself", () => {
    const character = fc.nat(every.length - 1).map((at) => String.fromCodePoint(every[at] ?? 0));
    const text = fc.string({ unit: fc.oneof(character, fc.string({ unit: "grapheme", maxLength: 1 })) });
    fc.assert(
      fc.property(text, (name) => {
        const key = nameKey(name);
        expect(nameKey(key)).to.equal(key);
      }),
      { seed: 48, numRuns: 2_000 },
    );
  });

  it("has at most 256 characters and no half of one, however long the name", () => {
    for (const fill of ["\ufdfa", "ß", "\u0130", "😀", "\ud800", "a\u200b", "x "]) {
      const key = nameKey(fill.repeat(100_000));
      expect(key.length, fill).to.be.at.most(256);
      expect(key.isWellFormed(), fill).to.equal(true);
    }
  });
});
