import { expect } from "chai";
import fc from "fast-check";
import { longestPlainName, searchKeys, writePlainNameKey } from "../../db/search-keys.ts";

/** The key of a name by its bytes, where that way takes it. */
function plainKey(name: string): string | undefined {
  const bytes = Buffer.from(`..${name}..`);
  const target = Buffer.alloc(longestPlainName);
  const size = writePlainNameKey(bytes, 2, bytes.length - 2, target);
  return size < 0 ? undefined : target.toString("latin1", 0, size);
}

const keyOf = (name: string) => searchKeys({ name, method: "", hash: "" }).nameKey;

describe("writePlainNameKey", () => {
  it("writes the key that a name of ASCII has", () => {
    const ascii = fc.string({
      unit: fc.integer({ min: 1, max: 127 }).map((code) => String.fromCharCode(code)),
      maxLength: longestPlainName,
    });
    fc.assert(
      fc.property(ascii, (name) => {
        expect(plainKey(name)).to.equal(keyOf(name));
      }),
      { numRuns: 500 },
    );
    for (const name of [
      "",
      " ",
      "-- --",
      "Invoice No. 7/2026",
      "a$+<=>^`|~b",
      "\u0001A\u007f",
      "x".repeat(256),
    ]) {
      expect(plainKey(name)).to.equal(keyOf(name));
    }
  });

  it("leaves names with other characters, and longer ones, to the long way", () => {
    for (const name of ["Größe", "契約", "A\0B", "x".repeat(257)]) expect(plainKey(name)).to.equal(undefined);
  });
});
