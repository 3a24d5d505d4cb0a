import { expect } from "chai";
import fc from "fast-check";
import { decodeHex } from "../../db/core/bytes.ts";

/** Reads `text` out of the midst of a larger buffer. */
function decode(text: string): Buffer | undefined {
  const source = Buffer.from(`ff${text}ff`, "latin1");
  const target = Buffer.alloc(text.length / 2 + 2, 0xaa);
  const read = decodeHex(source, [2, source.length - 2], target, 1);
  expect([target[0], target.at(-1)], "bytes beside those asked for").to.deep.equal([0xaa, 0xaa]);
  return read ? target.subarray(1, -1) : undefined;
}

describe("decodeHex", () => {
  it("reads any bytes, in digits of either case", () => {
    const upper = fc.boolean();
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.infiniteStream(upper), (bytes, cases) => {
        const text = Buffer.from(bytes)
          .toString("hex")
          .replace(/./g, (digit) => (cases.next().value ? digit.toUpperCase() : digit));
        expect(decode(text)).to.deep.equal(Buffer.from(bytes));
      }),
    );
  });

  it("reads more than it takes at a stretch", () => {
    for (const size of [16_383, 16_384, 16_385, 100_000]) {
      const bytes = Buffer.from(Array.from({ length: size }, (_, index) => (index * 7 + (index >> 8)) & 255));
      expect(decode(bytes.toString("hex"))?.equals(bytes), `${size} bytes`).to.equal(true);
    }
  });

  it("refuses each of the other 234 characters, wherever it stands", () => {
    const isDigit = (code: number) => /^[0-9a-fA-F]$/.test(String.fromCharCode(code));
    const wrong = Array.from({ length: 256 }, (_, code) => code).filter((code) => !isDigit(code));
    expect(wrong).to.have.length(234);
    for (const code of wrong) {
      for (const place of [0, 1, 15, 16, 31, 32, 63, 69]) {
        const text = [..."0123456789abcdefABCDEF0011223344556677889900aabbccddeeff0123456789abcd"];
        text[place] = String.fromCharCode(code);
        expect(decode(text.join("")), `${code} at ${place}`).to.equal(undefined);
      }
    }
  });

  it("refuses half a byte", () => {
    expect(decodeHex(Buffer.from("abc"), [0, 3], Buffer.alloc(2), 0)).to.equal(false);
  });
});
