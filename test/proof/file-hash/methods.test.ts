import { createHash } from "node:crypto";
import { expect } from "chai";
import fc from "fast-check";
import { limits } from "../../../domain/limits.ts";
import { fileKey } from "../../../domain/search/search-keys.ts";
import {
  bytesOf,
  type HashMethod,
  hashMethods,
  longestHashText,
  methodName,
  readMethod,
} from "../../../proof/src/file-hash/method-names.ts";
import { compareHash, readFileHash } from "../../../proof/src/file-hash/methods.ts";

const ABC = {
  sha256: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
  "sha3-256": "3a985da74fe225b2045c172d6bd390bd855f086e3e9d525b46bfe24511431532",
  "sha512-256": "53048e2681941ef99b2e29b76b4c7dabe4c2d0c634fc6d46e0e2f13107e7af23",
} as const;

const digest = (algorithm: string, content: string | Uint8Array) =>
  createHash(algorithm).update(content).digest("hex");
const base64 = (hex: string) => Buffer.from(hex, "hex").toString("base64");
const base64url = (hex: string) => Buffer.from(hex, "hex").toString("base64url");

/** Compares a file with what an asset carries, hashing it with OpenSSL's name of the method. */
const compareFile = (content: string, stored: { method: string; hash: string }) =>
  compareHash(stored, (method) => digest(opensslNames[method] ?? method, content));

/** OpenSSL's names of the methods that every build of it has. */
const opensslNames: Partial<Record<HashMethod, string>> = {
  md5: "md5",
  sha1: "sha1",
  ripemd160: "ripemd160",
  sha224: "sha224",
  sha256: "sha256",
  sha384: "sha384",
  sha512: "sha512",
  "sha512-224": "sha512-224",
  "sha512-256": "sha512-256",
  "sha3-224": "sha3-224",
  "sha3-256": "sha3-256",
  "sha3-384": "sha3-384",
  "sha3-512": "sha3-512",
  blake2b512: "blake2b512",
  blake2s256: "blake2s256",
};

describe("a file compared with a stored hash", () => {
  describe("given the hash of a text", () => {
    const stored = {
      method: "SHA2-256",
      hash: "e9024f1a07d29d52ad3aa5e1a18e94db1f3a9fd32b89e39d47c472cd99071e13",
    };

    it("matches the very bytes", async () => {
      expect(await compareFile("line one\nline two\n", stored)).to.equal("match");
    });

    it("does not match other line ends or a byte order mark: nothing is converted", async () => {
      const [crlf, bom] = ["line one\r\nline two\r\n", "\ufeffline one\nline two\n"];
      expect(digest("sha256", crlf)).to.match(/^6612d9c9/);
      expect(digest("sha256", bom)).to.match(/^b5a9d9ad/);
      expect(await compareFile(crlf, stored)).to.equal("mismatch");
      expect(await compareFile(bom, stored)).to.equal("mismatch");
    });
  });

  describe("given capital digits", () => {
    it("matches", async () => {
      const hash = ABC.sha256.toUpperCase();
      expect(await compareFile("abc", { method: "SHA-256", hash })).to.equal("match");
      expect(await compareFile("abd", { method: "SHA-256", hash })).to.equal("mismatch");
    });

    it("matches a digest that is told in capitals, too", async () => {
      const stored = { method: "SHA-256", hash: ABC.sha256 };
      expect(await compareHash(stored, () => ABC.sha256.toUpperCase())).to.equal("match");
    });
  });

  describe("given decorations", () => {
    for (const [what, hash] of [
      ["0x in front", `0x${ABC.sha256}`],
      ["0X in front", `0X${ABC.sha256.toUpperCase()}`],
      ["spaces around it", `  ${ABC.sha256} `],
      ["a tab in front and a line end behind", `\t${ABC.sha256}\r\n`],
      ["a byte order mark in front", `\ufeff${ABC.sha256}`],
      ["sha256: in front", `sha256:${ABC.sha256}`],
      ["SHA-256: and a space in front", `SHA-256: ${ABC.sha256}`],
      ["sha2-256: and 0x in front", `sha2-256:0x${ABC.sha256}`],
      ["SHA256 = in front", `SHA256 = ${ABC.sha256}`],
      ["sha256- in front", `sha256-${ABC.sha256}`],
      ["Base64 digits", base64(ABC.sha256)],
      ["Base64 digits without padding", base64(ABC.sha256).replace("=", "")],
      ["Base64 digits for URLs", base64url(ABC.sha256)],
      ["the form of subresource integrity", `sha256-${base64(ABC.sha256)}`],
      ["a file name behind it", `${ABC.sha256}  file.pdf`],
      ["a file name in front of it", `SHA256(file.pdf)= ${ABC.sha256}`],
      ["colons between bytes", ABC.sha256.replace(/..(?=.)/g, "$&:")],
      ["spaces between bytes", ABC.sha256.replace(/..(?=.)/g, "$& ")],
    ] as const) {
      it(`matches with ${what}`, async () => {
        expect(await compareFile("abc", { method: "SHA-256", hash })).to.equal("match");
        expect(await compareFile("abd", { method: "SHA-256", hash })).to.equal("mismatch");
      });
    }

    for (const [what, hash] of [
      ["another method's name in front of a file name", `SHA512 (file.pdf) = ${ABC.sha256}`],
      ["groups of another length", ABC.sha256.replace(/...(?=.)/g, "$&:")],
      ["two separators between bytes", ABC.sha256.replace(/..(?=.)/g, "$&::")],
      ["a line end within it", `${ABC.sha256.slice(0, 32)}\n${ABC.sha256.slice(32)}`],
      ["a digit too few", ABC.sha256.slice(1)],
      ["a digit too many", `${ABC.sha256}0`],
      ["a letter that is no digit", ABC.sha256.replace("b", "g")],
      ["another method's name in front", `sha3-256:${ABC.sha256}`],
      ["the name of a family in front", `sha:${ABC.sha256}`],
      ["0x twice", `0x0x${ABC.sha256}`],
      ["0x alone", "0x"],
      ["the hash of a shorter method", digest("sha1", "abc")],
      ["the hash of a longer method", digest("sha512", "abc")],
      ["prose", "see attachment"],
    ] as const) {
      it(`cannot be read with ${what}: that is no mismatch`, async () => {
        expect(await compareFile("abc", { method: "SHA-256", hash })).to.equal("unreadable-hash");
      });
    }
  });

  describe("given a hash in hex of the length of another method's Base64", () => {
    for (const method of ["SHA-384", "SHA3-384"]) {
      it(`is not taken for Base64 of ${method}: the file is not called another one`, async () => {
        const stored = { method, hash: ABC.sha256 };
        expect(await compareFile("abc", stored)).to.equal("unreadable-hash");
      });
    }
  });

  describe("given Base64 for URLs with a dash in its first characters", () => {
    it("reads it with the method's name in front, whatever the dash follows", () => {
      for (let at = 0; at < 24; at += 1) {
        const text = `${"A".repeat(at)}-${"A".repeat(42 - at)}`;
        const hex = Buffer.from(text, "base64url").toString("hex");
        expect(readFileHash("sha256", `sha256-${text}`)?.digits, text).to.equal(hex);
        expect(readFileHash("sha256", text)?.digits, text).to.equal(hex);
      }
    });
  });

  describe("given any spelling of the method", () => {
    for (const method of [
      "SHA2-256",
      "SHA-256",
      "sha256",
      "Sha 256",
      "sha2-256",
      "SHA_256",
      "SHA-2-256",
      " sha-256\r\n",
    ]) {
      it(`${JSON.stringify(method)} is SHA-256`, async () => {
        expect(await compareFile("abc", { method, hash: ABC.sha256 })).to.equal("match");
        expect(await compareFile("abc", { method, hash: ABC["sha3-256"] })).to.equal("mismatch");
      });
    }

    for (const [method, own] of [
      ["SHA3-256", "sha3-256"],
      ["SHA-512/256", "sha512-256"],
      ["SHA512-256", "sha512-256"],
      ["SHA2-512/256", "sha512-256"],
    ] as const) {
      it(`${method} matches its own value and no other`, async () => {
        for (const [of, hash] of Object.entries(ABC)) {
          expect(await compareFile("abc", { method, hash })).to.equal(of === own ? "match" : "mismatch");
        }
      });
    }

    it("reads the name of SHA-512/256 in front of its value, and not as SHA-512", async () => {
      const hash = `SHA-512/256:${ABC["sha512-256"]}`;
      expect(await compareFile("abc", { method: "SHA-512/256", hash })).to.equal("match");
      expect(await compareFile("abc", { method: "SHA-512", hash })).to.equal("unreadable-hash");
    });

    it("says that it does not know BLAKE9, and asks for no digest", async () => {
      const asked = compareHash({ method: "BLAKE9", hash: ABC.sha256 }, () => {
        throw new Error("asked");
      });
      expect(await asked).to.equal("unknown-method");
    });

    for (const method of ["SHA", "SHA-2", "SHA-3", "256", "constructor", "__proto__", "sha256sum"]) {
      it(`does not guess what ${method} means`, async () => {
        expect(readMethod(method)).to.equal(undefined);
        expect(await compareFile("abc", { method, hash: ABC.sha256 })).to.equal("unknown-method");
      });
    }

    it("does not guess by the length when the method is empty", async () => {
      for (const method of ["", "  "]) {
        expect(await compareFile("abc", { method, hash: ABC.sha256 })).to.equal("no-method");
      }
    });
  });

  it("reads no text that is longer than any hash, and says so at once", async () => {
    for (const fill of ["=", "0", "a", " ", "-", "+", "\n"]) {
      const text = `${fill.repeat(1_000_000)}x`;
      expect(readFileHash("sha256", text)?.digits, fill).to.equal(undefined);
      expect(readMethod(text), fill).to.equal(undefined);
      expect(fileKey(text, ABC.sha256), fill).to.equal(undefined);
      expect(fileKey("SHA-256", text), fill).to.equal(undefined);
      const stored = { method: "SHA-256", hash: text };
      expect(await compareHash(stored, () => ABC.sha256), fill).to.equal("unreadable-hash");
    }
  });

  it("says that there is no hash, with or without a method", async () => {
    for (const method of ["SHA-256", "BLAKE9", ""]) {
      expect(await compareFile("abc", { method, hash: " \n" })).to.equal("no-hash");
    }
  });
});

describe("each method", () => {
  for (const method of hashMethods) {
    const bytes = Buffer.alloc(bytesOf(method), 0xab);

    it(`${method} reads its own names and the length that it has`, () => {
      const hex = bytes.toString("hex");
      for (const name of [
        method,
        method.toUpperCase(),
        methodName(method),
        methodName(method).toLowerCase(),
      ]) {
        expect(readMethod(name), name).to.equal(method);
        expect(readFileHash(name, `${name}:${hex}`)?.digits, name).to.equal(hex);
      }
      expect(readFileHash(method, hex)?.digits).to.equal(hex);
      expect(readFileHash(method, base64(hex))?.digits).to.equal(hex);
      expect(readFileHash(method, hex.slice(2))?.digits).to.equal(undefined);
    });

    const openssl = opensslNames[method];
    if (openssl === undefined) continue;
    it(`${method} has the length of OpenSSL's digest`, () => {
      expect(digest(openssl, "abc")).to.have.length(2 * bytesOf(method));
    });
  }

  it("is read from the identifiers that signatures of XML have", () => {
    const w3 = "http://www.w3.org";
    expect(readMethod(`${w3}/2001/04/xmlenc#sha256`)).to.equal("sha256");
    expect(readMethod(`${w3}/2000/09/xmldsig#sha1`)).to.equal("sha1");
    expect(readMethod(`${w3}/2007/05/xmldsig-more#sha3-512`)).to.equal("sha3-512");
    expect(readMethod(`${w3}/2001/04/xmlenc#aes256-cbc`)).to.equal(undefined);
    expect(readMethod("http://example.org/2001/04/xmlenc#sha256")).to.equal(undefined);
  });

  it("of BLAKE2 is told by its length where its name leaves that out", () => {
    for (const [name, method] of [
      ["BLAKE2b", "blake2b384"],
      ["blake2s", "blake2s224"],
    ] as const) {
      const digits = "ab".repeat(bytesOf(method));
      expect(readFileHash(name, digits)).to.deep.equal({ method, digits });
    }
  });

  it("reads any digest back from every spelling", () => {
    const cases = fc.record({
      method: fc.constantFrom(...hashMethods),
      seed: fc.uint8Array({ minLength: 64, maxLength: 64 }),
      name: fc.constantFrom("", ":", "-", "=", ": "),
      form: fc.constantFrom(
        (hex: string) => hex,
        (hex: string) => hex.toUpperCase(),
        (hex: string) => `0x${hex}`,
        base64,
        base64url,
      ),
    });
    fc.assert(
      fc.property(cases, ({ method, seed, name, form }) => {
        const hex = Buffer.from(seed.subarray(0, bytesOf(method))).toString("hex");
        const text = form(hex);
        expect(readFileHash(method, name === "" ? text : `${method}${name}${text}`)?.digits).to.equal(hex);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe("texts of methods and hashes", () => {
  it("are read as long as the service takes them, whatever characters they are of", () => {
    expect(longestHashText).to.equal(2 * Math.max(limits.text.hash, limits.text.method));
  });
});
