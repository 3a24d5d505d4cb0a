import { expect } from "chai";
import fc from "fast-check";
import {
  digestBytes,
  longestPlainName,
  searchKeys,
  writePlainFileDigest,
  writePlainNameKey,
} from "../../../db/core/search-keys.ts";

/** The key of a name by its bytes, where that way takes it. */
function plainKey(name: string): string | undefined {
  const target = Buffer.alloc(longestPlainName);
  const size = writePlainNameKey(Buffer.from(name), target);
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

describe("writePlainFileDigest", () => {
  const digits = (length: number) => "0123456789abcdef".repeat(8).slice(0, length);

  /** The digest by the bytes of the texts, where that way takes them. */
  function plainDigest(method: string, hash: string): Buffer | undefined {
    const target = Buffer.alloc(digestBytes);
    return writePlainFileDigest(Buffer.from(method), Buffer.from(hash), target) ? target : undefined;
  }

  it("writes the digest that known methods have with small digits, and leaves all else to the long way", () => {
    const methods = ["SHA2-256", "sha-256", "SHA-512", "MD5", "keccak256", "other", "", "SHA2\0-256", "契約"];
    const hashes = [digits(64), digits(32), digits(128), digits(63), `${digits(63)}A`, `${digits(63)}g`, ""];
    const cases = fc.tuple(
      fc.constantFrom(...methods, "x".repeat(40)),
      fc.constantFrom(...hashes, ` ${digits(62)} `, `0x${digits(62)}`, `${digits(63)}:`, `${digits(63)}\``),
    );
    let plain = 0;
    fc.assert(
      fc.property(cases, ([method, hash]) => {
        const digest = plainDigest(method, hash);
        if (digest === undefined) return;
        plain += 1;
        expect(digest).to.deep.equal(searchKeys({ name: "", method, hash }).fileDigest);
      }),
      { numRuns: 500 },
    );
    expect(plain).to.be.above(0);
    expect(plainDigest("SHA2-256", digits(64))).to.not.equal(undefined);
    for (const hash of [`${digits(63)}A`, digits(63), ""]) {
      expect(plainDigest("SHA2-256", hash)).to.equal(undefined);
    }
  });
});
