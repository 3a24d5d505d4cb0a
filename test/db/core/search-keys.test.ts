import { createHash } from "node:crypto";
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

describe("search keys", () => {
  it("have the form that rows were written with: whoever changes it tells operators to run `npm run reindex`", () => {
    const hash = "BA7816BF8F01CFEA414140DE5DAE2223B00361A396177A9CB410FF61F20015AD";
    const samples = [
      { name: "Lease-Agreement, 2026", method: "SHA2-256", hash },
      {
        name: "Stra\u00adßenvertrag",
        method: "BLAKE3",
        hash: "0x6437B3AC38465133FFB63B75273A8DB548C558465D79DB03FD359C6CD5BD9D85",
      },
      { name: "İstanbul ΟΔΥΣΣΕΥΣ ﬁne", method: "", hash: `sha256:${hash}` },
      { name: "\u0645\u0640\u062d", method: "My Method", hash: " as text " },
      { name: "e\u0301\u200b-é", method: "BLAKE2b", hash: `1220${hash}` },
      { name: "", method: "multihash", hash: "QmatYkNGZnELf8cAGdyJpUca2PyY4szai3RHyyWofNY1pY" },
    ];
    const keys = samples.map((sample) => {
      const { nameKey, fileDigest } = searchKeys(sample);
      return `${nameKey} ${fileDigest?.toString("hex")}`;
    });
    const pinned = createHash("sha256").update(keys.join("\n")).digest("hex").slice(0, 16);
    expect(pinned).to.equal("aea10ee1320b7799");
  });
});

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
