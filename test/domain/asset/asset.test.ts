import { expect } from "chai";
import fc from "fast-check";
import { toHex } from "viem";
import { exactTexts, mapDetails, parseAssetId, readText } from "../../../domain/asset/asset.ts";
import { rawDetails } from "../../support/asset-id.ts";

const ID = `0x${"0123456789abcdef".repeat(4)}`;
const utf8 = new TextEncoder();

describe("parseAssetId", () => {
  it("answers an id in lower case, however its digits are written", () => {
    expect(parseAssetId(ID)).to.equal(ID);
    expect(parseAssetId(`0x${ID.slice(2).toUpperCase()}`)).to.equal(ID);
  });

  for (const [what, text] of [
    ["nothing", ""],
    ["a bare prefix", "0x"],
    ["no prefix", ID.slice(2)],
    ["a capital 0X", `0X${ID.slice(2)}`],
    ["a digit too few", ID.slice(0, -1)],
    ["a digit too many", `${ID}0`],
    ["a byte too many", `${ID}00`],
    ["a letter that is no hex digit", `${ID.slice(0, -1)}g`],
    ["white space in front", ` ${ID}`],
    ["a line end behind", `${ID}\n`],
    ["a NUL behind", `${ID}\0`],
    ["the name of a built-in property", "__proto__"],
  ] as const) {
    it(`refuses ${what}`, () => {
      expect(parseAssetId(text)).to.equal(undefined);
    });
  }
});

describe("readText", () => {
  describe("given valid UTF-8", () => {
    it("answers it exactly, a byte order mark and a non-character included", () => {
      expect(readText("0xefbbbf61efbfbf")).to.deep.equal({ text: "\ufeffa\uffff", exact: true });
    });

    it("answers the empty text for no bytes", () => {
      expect(readText("0x")).to.deep.equal({ text: "", exact: true });
      expect(readText(new Uint8Array())).to.deep.equal({ text: "", exact: true });
    });

    it("takes a replacement character that the author wrote for exact", () => {
      expect(readText(utf8.encode("a\ufffdb\u2400"))).to.deep.equal({ text: "a\ufffdb\u2400", exact: true });
    });

    it("answers any text without NUL exactly", () => {
      const text = fc.string({ unit: "binary" }).map((any) => any.replaceAll("\0", ""));
      fc.assert(
        fc.property(text, (any) => {
          expect(readText(utf8.encode(any))).to.deep.equal({ text: any, exact: true });
        }),
      );
    });

    it("keeps composed and decomposed letters apart", () => {
      expect(readText("0x4dc3bc").text).to.equal("M\u00fc");
      expect(readText("0x4d75cc88").text).to.equal("Mu\u0308");
    });
  });

  describe("given a NUL byte", () => {
    it("shows U+2400 for each and says that the text is not exact", () => {
      expect(readText("0x41004200")).to.deep.equal({ text: "A\u2400B\u2400", exact: false });
    });
  });

  describe("given broken UTF-8", () => {
    for (const [what, bytes, shown] of [
      ["a lone continuation byte", "0x6180", "a\ufffd"],
      ["a sequence cut short", "0xc3", "\ufffd"],
      ["a surrogate", "0xeda080", "\ufffd\ufffd\ufffd"],
      ["an overlong slash", "0xc0af", "\ufffd\ufffd"],
      ["a code point beyond Unicode", "0xf4908080", "\ufffd\ufffd\ufffd\ufffd"],
      ["a byte order mark in front of it", "0xefbbbfff", "\ufeff\ufffd"],
      ["a NUL beside it", "0xff00", "\ufffd\u2400"],
    ] as const) {
      it(`shows U+FFFD for ${what} and says that the text is not exact`, () => {
        expect(readText(bytes)).to.deep.equal({ text: shown, exact: false });
      });
    }
  });

  it("never answers what PostgreSQL cannot hold, and says exact only when the bytes can be had back", () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 64 }),
      fc.array(fc.constantFrom(0x00, 0x41, 0x80, 0xc3, 0xed, 0xf0, 0x9f, 0xff), { maxLength: 16 }),
    );
    fc.assert(
      fc.property(bytes, (list) => {
        const raw = Uint8Array.from(list);
        const { text, exact } = readText(raw);
        expect(text.isWellFormed()).to.equal(true);
        expect(text).to.not.include("\0");
        expect(toHex(utf8.encode(text)) === toHex(raw)).to.equal(exact);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe("exactTexts", () => {
  const shown = mapDetails((field) => (field === "name" ? "Lease" : ""));
  const raw = rawDetails(shown);

  it("are those that are shown where the chain holds the very bytes of them", () => {
    expect(exactTexts(shown, undefined)).to.deep.equal({ details: shown, inexact: [] });
  });

  it("are read from the bytes word for word, NUL and byte order mark included", () => {
    const name = "\ufeffa\0b";
    const { details, inexact } = exactTexts(shown, { ...raw, name: utf8.encode(name) });
    expect(details).to.deep.equal({ ...shown, name });
    expect(inexact).to.deep.equal([]);
  });

  it("are named where they are no UTF-8, and shown as before", () => {
    const given = { ...raw, uri: Uint8Array.of(0xff), name: utf8.encode("a\0") };
    expect(exactTexts({ ...shown, uri: "\ufffd" }, given)).to.deep.equal({
      details: { ...shown, name: "a\0", uri: "\ufffd" },
      inexact: ["uri"],
    });
  });
});
