import { createHash } from "node:crypto";
import { expect } from "chai";
import fc from "fast-check";
import { fileKey } from "../../../domain/search/search-keys.ts";
import { readFileHash } from "../../../proof/src/file-hash/methods.ts";

const digest = (method: string) => createHash(method).update("abc").digest();

/** Of the same bytes as others write them, computed by other programs (`ipfs`, `b3sum`, `openssl`, `sha256sum`). */
const sha256 = digest("sha256").toString("hex");
const sha512 = digest("sha512").toString("hex");
const blake3 = "6437b3ac38465133ffb63b75273a8db548c558465d79db03fd359c6cd5bd9d85";
const blake2b256 = "bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319";
const base64 = (hex: string) => Buffer.from(hex, "hex").toString("base64");
const base64url = (hex: string) => Buffer.from(hex, "hex").toString("base64url");
const pairs = (hex: string, separator: string) => hex.match(/../g)?.join(separator) ?? "";
const fours = (hex: string, separator: string) => hex.match(/.{4}/g)?.join(separator) ?? "";

describe("the key of a file's hash", () => {
  const same = (key: string, spellings: readonly (readonly [method: string, hash: string])[]) => {
    for (const [method, hash] of spellings) {
      it(`is that of ${key.slice(0, 16)}… for ${JSON.stringify(hash.slice(0, 60))} by ${JSON.stringify(method)}`, () => {
        expect(fileKey(method, hash)).to.equal(key);
      });
    }
  };

  describe("of SHA-256", () => {
    const forms = [
      sha256,
      sha256.toUpperCase(),
      `0x${sha256}`,
      `0X${sha256.toUpperCase()}`,
      pairs(sha256, ":"),
      pairs(sha256.toUpperCase(), ":"),
      pairs(sha256, " "),
      pairs(sha256, "-"),
      fours(sha256, " "),
      base64(sha256),
      base64(sha256).replace("=", ""),
      base64url(sha256),
      `1220${sha256}`,
      `f1220${sha256}`,
      `F1220${sha256.toUpperCase()}`,
      "zQmatYkNGZnELf8cAGdyJpUca2PyY4szai3RHyyWofNY1pY",
      "bciqlu6awx6hqdt7kifaubxs5vyrchmadmgrzmf32ts2bb73b6iablli",
      "bafkreif2pall7dybz7vecqka3zo24irdwabwdi4wc55jznaq75q7eaavvu",
      `\u200b${sha256}\ufeff`,
      `${sha256.slice(0, 32)}\u00ad${sha256.slice(32)}`,
    ];
    const named = [
      `sha256:${sha256}`,
      `SHA-256: ${sha256}`,
      `SHA256 = ${sha256}`,
      `SHA\u2011256:${sha256}`,
      `sha256-${base64(sha256)}`,
      `sha256-${base64(sha256)}?ct=application/pdf`,
      `sha512-${base64(sha512)} sha256-${base64(sha256)}`,
      `sha-256=:${base64(sha256)}:`,
      `sha-512=:${base64(sha512)}:, sha-256=:${base64(sha256)}:`,
      `Content-Digest: sha-256=:${base64(sha256)}:`,
      `Repr-Digest: sha-256=:${base64(sha256)}:;x=1`,
      `Digest: SHA-256=${base64(sha256)}`,
      `ni:///sha-256;${base64url(sha256)}`,
      `ni://example.org/sha-256;${base64url(sha256)}?ct=application/pdf`,
      `nih:sha-256;${sha256};f`,
      `http://example.org/.well-known/ni/sha-256/${base64url(sha256)}`,
      `urn:sha256:${sha256}`,
      `urn:sha-256:${sha256.toUpperCase()}`,
      `urn:hash::sha256:${sha256}`,
      `hash://sha256/${sha256}`,
      `{SHA256}${base64(sha256)}`,
      `SHA256 (lease (final).pdf) = ${sha256}`,
      `SHA256(lease.pdf)= ${sha256}`,
      `SHA2-256(stdin)= ${sha256}`,
      `\\SHA256 (a\\nb) = ${sha256}`,
    ];
    const lines = [
      `${sha256}  lease.pdf`,
      `${sha256} *lease.pdf`,
      `\\${sha256}  a\\nb`,
      `${sha256}\tdeadbeef`,
    ];
    for (const method of [
      "SHA-256",
      "sha2-256",
      "SHA\u2011256",
      "SHA\u00ad-\u2010256",
      "ＳＨＡ－２５６",
      "SHA_2/256",
    ]) {
      same(
        `sha256:${sha256}`,
        [...forms, ...named, ...lines].map((hash) => [method, hash]),
      );
    }
    // Without a method, or with the name of a form for it, the text says it all; bare digits are taken for SHA2-256.
    for (const method of ["", "multihash", "Digest", "checksum of the file"]) {
      const telling = named.filter((hash) => !hash.startsWith("sha512") && !hash.startsWith("sha-512"));
      same(
        `sha256:${sha256}`,
        [...telling, `1220${sha256}`, "zQmatYkNGZnELf8cAGdyJpUca2PyY4szai3RHyyWofNY1pY"].map((hash) => [
          method,
          hash,
        ]),
      );
    }
    same(
      `sha256:${sha256}`,
      [...forms, ...lines].map((hash) => ["", hash]),
    );
  });

  describe("of methods that the product cannot compute", () => {
    same(`blake3:${blake3}`, [
      ["BLAKE3", blake3],
      ["blake3", blake3.toUpperCase()],
      ["Blake-3", `0x${blake3}`],
      ["BLAKE\u20113", pairs(blake3, ":")],
      ["BLAKE3", base64(blake3)],
      ["BLAKE3", base64url(blake3)],
      ["BLAKE3", `${blake3}  lease.pdf`],
      ["BLAKE3", `BLAKE3 (lease.pdf) = ${blake3}`],
      ["BLAKE3", `blake3:${blake3}`],
      ["BLAKE3", `blake3-${base64(blake3)}`],
      ["BLAKE3", `1e20${blake3}`],
      ["", `1e20${blake3}`],
      ["", `BLAKE3 (lease.pdf) = ${blake3}`],
      ["", `urn:blake3:${blake3}`],
    ]);
    same(`blake2b256:${blake2b256}`, [
      ["BLAKE2b-256", blake2b256],
      ["BLAKE2b", blake2b256.toUpperCase()],
      ["blake2b_256", base64(blake2b256)],
      ["BLAKE2B\u2013256", `a0e40220${blake2b256}`],
      ["BLAKE2b-256", `BLAKE2b-256 (lease.pdf) = ${blake2b256}`],
    ]);
    same(`blake2b512:${sha512}`, [
      ["BLAKE2b-512", sha512],
      ["BLAKE2b", sha512],
    ]);
    same("crc32:352441c2", [
      ["CRC-32", "352441C2"],
      ["crc32", "0x352441c2"],
      ["CRC32", "35:24:41:c2"],
    ]);
  });

  describe("of SHA-1 in Base32", () => {
    const sha1 = digest("sha1").toString("hex");
    same(`sha1:${sha1}`, [
      ["SHA-1", "urn:sha1:VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5"],
      ["SHA-1", "VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5"],
      ["", "urn:sha1:vgmt4nsha2awvor6evyxqugcnsonbwe5"],
    ]);
  });

  it("is no digest where the text names another method, or is none", () => {
    for (const [method, hash] of [
      ["SHA-256", `sha512:${sha256}`],
      ["SHA-256", `SHA512 (lease.pdf) = ${sha256}`],
      ["SHA-256", `ni:///sha-256-128;${base64url(sha256)}`],
      ["SHA-256", `urn:sha1:${sha256}`],
      ["SHA-512", `1220${sha256}`],
      ["SHA-256", sha256.slice(1)],
      ["SHA-256", "see attachment"],
      ["BLAKE3", "see attachment"],
      ["BLAKE3", blake3.slice(1)],
      ["", "see annex 4"],
      ["", "QmatYkNGZnELf8cAGdyJpUca2PyY4szai3RHyyWofNY1pY"],
      ["SHA-256", "QmatYkNGZnELf8cAGdyJpUca2PyY4szai3RHyyWofNY1pY"],
      ["", "bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi"],
      ["My Method", "Abc"],
    ] as const) {
      expect(readFileHash(method, hash), `${method} ${hash}`).to.equal(undefined);
      expect(fileKey(method, hash), `${method} ${hash}`).to.match(/\?/);
    }
  });

  it("is the same for a method and hash that are written anew from it", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.string({ unit: "grapheme" }), (method, hash) => {
        const read = readFileHash(method, hash);
        if (read !== undefined && read.method !== "") {
          expect(readFileHash(read.method, read.digits)).to.deep.equal(read);
        }
      }),
      { seed: 49, numRuns: 500 },
    );
  });
});
