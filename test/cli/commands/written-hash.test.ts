import { expect } from "chai";
import { writtenHash } from "../../../cli/src/commands/written-hash.ts";
import { Problem } from "../../../cli/src/problem.ts";

const digits = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
const sha512 = "ab".repeat(64);
const pairs = digits.replace(/..(?!$)/g, "$& ");
const base64 = Buffer.from(digits, "hex").toString("base64");

/** The sentence by which a hash is refused. */
function refusal(method: Parameters<typeof writtenHash>[0], text: string): string {
  try {
    return `read as ${writtenHash(method, text).digits}`;
  } catch (error) {
    if (error instanceof Problem) return error.message;
    throw error;
  }
}

describe("a hash on the command line", () => {
  for (const [what, text] of [
    ["a line of sha256sum --tag", `SHA256 (lease.txt) = ${digits}\n`],
    ["a line of openssl dgst", `SHA2-256(lease.txt)= ${digits}\n`],
    [
      "the output of certutil",
      `SHA256 hash of lease.txt:\r\n${digits}\r\nCertUtil: -hashfile command completed successfully.\r\n`,
    ],
    ["the output of an older certutil", `SHA256 hash of file lease.txt:\r\n${pairs}\r\nCertUtil: done.`],
    ["the output of certutil in German", `SHA256-Hash von lease.txt:\r\n${digits}\r\nCertUtil: fertig.`],
    [
      "the table of Get-FileHash",
      `Algorithm       Hash      Path\n---------       ----      ----\nSHA256          ${digits.toUpperCase()}       C:\\md5\\lease.txt\n`,
    ],
    ["the list of Get-FileHash", `Algorithm : SHA256\nHash      : ${digits}\nPath      : C:\\lease.txt`],
    ["an integrity attribute", `sha256-${base64}`],
    ["an integrity attribute in quotation marks", `"sha256-${base64}"`],
    ["a multihash", `1220${digits}`],
    ["a multihash with 0x", `0x1220${digits}`],
    ["the CID of a raw block", "bafkreif2pall7dybz7vecqka3zo24irdwabwdi4wc55jznaq75q7eaavvu"],
    ["the URL of a raw block", "ipfs://bafkreif2pall7dybz7vecqka3zo24irdwabwdi4wc55jznaq75q7eaavvu"],
  ] as const) {
    it(`names its method in ${what}`, () => {
      expect(writtenHash(undefined, text)).to.deep.equal({ method: "sha256", digits, assumed: false });
      expect(writtenHash("sha256", text)).to.deep.equal({ method: "sha256", digits, assumed: false });
      expect(refusal("sha3-256", text)).to.contain("cannot be compared");
    });
  }

  for (const [what, text] of [
    ["hex", digits],
    ["capital hex with 0x", `0x${digits.toUpperCase()}`],
    ["Base64", base64],
    ["a line of sha256sum", `${digits}  lease.txt\n`],
    ["a line of sha256sum with CRLF", `${digits} *lease.txt\r\n`],
    ["the line that openssl dgst prints of standard input", `(stdin)= ${digits}`],
    ["two equal lines", `${digits}  a.txt\n${digits}  b.txt\n`],
  ] as const) {
    it(`is taken for SHA2-256 in ${what}, unless another method is named`, () => {
      expect(writtenHash(undefined, text)).to.deep.equal({ method: "sha256", digits, assumed: true });
      expect(writtenHash("blake3", text)).to.deep.equal({ method: "blake3", digits, assumed: false });
    });
  }

  it("has no assumed method where it has another length than SHA2-256", () => {
    expect(refusal(undefined, `${sha512}  lease.txt`)).to.match(
      /name it by --method: SHA2-512, SHA3-512, Keccak-512, BLAKE2b-512\.$/,
    );
    expect(writtenHash("blake2b512", `${sha512}  lease.txt`)).to.include({ digits: sha512 });
  });

  it("is refused as the CID of a tree of blocks, which no file has", () => {
    for (const id of [
      "QmatYkNGZnELf8cAGdyJpUca2PyY4szai3RHyyWofNY1pY",
      "ipfs://QmatYkNGZnELf8cAGdyJpUca2PyY4szai3RHyyWofNY1pY/lease.txt",
      "https://ipfs.example/ipfs/QmatYkNGZnELf8cAGdyJpUca2PyY4szai3RHyyWofNY1pY?download=true",
      "bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi",
    ]) {
      expect(refusal(undefined, id)).to.contain("an IPFS CID").and.to.contain("such as sha256sum prints");
      expect(refusal("sha256", id)).to.contain("an IPFS CID");
    }
  });

  it("is refused where it is none, with a reason", () => {
    for (const [text, words] of [
      ["", "it is empty"],
      ["prose", "there is no hash in it, or several"],
      [`${digits}  a\n${"0".repeat(64)}  b\n`, "there is no hash in it, or several"],
      [digits.slice(1), "no method has hashes of this length"],
      [`SHA256 hash of a:\n${sha512}`, "name it by --method: SHA2-512"],
    ] as const) {
      expect(refusal(undefined, text), text).to.contain(words);
    }
    expect(refusal("sha512", digits)).to.contain("it is no SHA2-512 hash");
    expect(refusal("sha256", "x".repeat(5000)).length).to.be.below(250);
  });
});
