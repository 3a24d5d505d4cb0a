import { createHash } from "node:crypto";
import { expect } from "chai";
import type { Proof } from "../../../proof/src/proof.ts";
import { owner } from "../../support/chain/accounts.ts";
import { bothOpinions } from "../../support/proof/both-verifiers.ts";
import { someAsset, worldWith } from "../../support/proof/world.ts";

/** Names of each method, the length of its digests, and its code in a multihash. */
const methods = [
  { method: "MD5", names: ["MD5", "md5"], bytes: 16 },
  { method: "SHA-1", names: ["SHA-1", "sha1", "Sha_1"], bytes: 20, code: "11" },
  {
    method: "SHA-256",
    names: ["SHA-256", "sha256", "SHA2-256", "Sha 256", "SHA_256"],
    bytes: 32,
    code: "12",
  },
  { method: "SHA-384", names: ["SHA-384", "sha2-384"], bytes: 48, code: "20" },
  { method: "SHA-512", names: ["SHA-512", "SHA2-512"], bytes: 64, code: "13" },
  { method: "SHA3-256", names: ["SHA3-256", "sha3_256"], bytes: 32, code: "16" },
  { method: "SHA3-384", names: ["SHA3-384"], bytes: 48, code: "15" },
  { method: "SHA3-512", names: ["SHA3-512"], bytes: 64, code: "14" },
  { method: "Keccak-256", names: ["Keccak-256", "KECCAK256"], bytes: 32, code: "1b" },
];

/** Every form of a digest that the description of the proof document demands. */
function spellingsOf(digest: string, method: string, code: string | undefined): string[] {
  const bytes = Buffer.from(digest, "hex");
  const [base64, base64url] = [bytes.toString("base64"), bytes.toString("base64url")];
  const multihash = code === undefined ? [] : [`${code}${bytes.length.toString(16)}${digest}`];
  const hex = [digest, ...multihash].flatMap((digits) => [digits, digits.toUpperCase()]);
  const named = `${method.replace("-", "").toLowerCase()}-${base64}`;
  return [...hex, `0x${digest}`, base64, base64.replace(/=+$/, ""), base64url, named];
}

describe("two verifiers of proof documents, given a digest", () => {
  let proof: Proof;
  before(async () => {
    const asset = someAsset(owner.address);
    proof = await (await worldWith(asset)).prove(asset);
  });

  /** What each says of a file's digest, where the asset has these texts. */
  function contentsOf(texts: { method: string; hash: string }, fileHash: { method: string; digest: string }) {
    const document = JSON.stringify({ ...proof, asset: { ...proof.asset, ...texts } });
    return bothOpinions(new TextEncoder().encode(document), { fileHash }).map(({ content }) => content);
  }

  for (const { method, names, bytes, code } of methods) {
    it(`read every spelling of ${method} that the document's description demands`, () => {
      const digest = createHash("sha512")
        .update(method)
        .digest("hex")
        .slice(0, 2 * bytes);
      const other = digest.replace(/^./, (first) => (first === "0" ? "1" : "0"));
      const written = [
        ...names.map((name) => ({ method: name, hash: digest })),
        ...spellingsOf(digest, method, code).map((hash) => ({ method, hash })),
      ];
      for (const texts of written) {
        const contentOf = (own: string) => contentsOf(texts, { method, digest: own });
        expect(contentOf(digest), JSON.stringify(texts)).to.deep.equal(["valid", "valid"]);
        expect(contentOf(other), JSON.stringify(texts)).to.deep.equal(["invalid", "invalid"]);
      }
    });
  }

  for (const [what, method, hash] of [
    ["no method", "", "00".repeat(32)],
    ["an unknown method", "BLAKE9", "00".repeat(32)],
    ["hex of another length", "SHA-384", "00".repeat(32)],
    ["the name of another method before it", "SHA-256", `sha512-${Buffer.alloc(32).toString("base64")}`],
    ["a multihash of another method", "SHA-256", `1620${"00".repeat(32)}`],
    ["no digest", "SHA-256", ""],
  ] as const) {
    it(`cannot check ${what}`, () => {
      const own = { method: "SHA-256", digest: "00".repeat(32) };
      expect(contentsOf({ method, hash }, own)).to.deep.equal(["cannot check", "cannot check"]);
    });
  }
});
