import { expect } from "chai";
import { padHex } from "viem";
import {
  type Proof,
  ProofError,
  type ProofErrorCode,
  readProof,
  verifyDocument,
  verifyProof,
} from "../../../proof/src/proof.ts";
import { someAsset, worldWith } from "../../support/proof/world.ts";

const author = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
const asset = someAsset(author, { name: "Müller \u{1d11e}\0", data: "\u00e9 e\u0301" });
const child = padHex("0x22", { size: 32 });

describe("readProof", () => {
  let proof: Proof;
  let text: string;
  before(async () => {
    const world = await worldWith(asset);
    proof = await world.prove(asset, [child]);
    text = JSON.stringify(proof);
  });

  it("reads a document as text, as bytes, with spaces, in another order and in the service's envelope", () => {
    const members = Object.entries(proof).reverse();
    for (const document of [
      text,
      new TextEncoder().encode(text),
      Buffer.from(`\ufeff${text}`),
      `\ufeff${text}`,
      JSON.stringify(proof, null, "\t").replaceAll("\n", "\r\n"),
      JSON.stringify(Object.fromEntries(members)),
      `{"value":${text}}`,
      `{"meta":{"deep":[[[true,null,-1.5e3]]]},"value":${text}}`,
    ]) {
      expect(structuredClone(readProof(document))).to.deep.equal(proof);
    }
  });

  it("reads texts as they are, however JSON writes them", () => {
    const escaped = text.replace(
      /[^ -~]/g,
      (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
    );
    expect(escaped).to.match(/^[ -~]+$/);
    expect(readProof(escaped).asset.name).to.equal(asset.details.name);
    expect(readProof(escaped).asset.data).to.equal(asset.details.data);
  });

  /** Changes what stands at a path of members. */
  const changed = (path: string, value: unknown): string => {
    const copy = structuredClone(proof) as unknown as Record<string, unknown>;
    const steps = path.split(".");
    const last = steps.pop() as string;
    const parent = steps.reduce((at, step) => at[step] as Record<string, unknown>, copy);
    if (value === undefined) delete parent[last];
    else parent[last] = value;
    return JSON.stringify(copy);
  };
  const many = (count: number) =>
    Array.from({ length: count }, (_, at) => padHex(`0x${at.toString(16)}`, { size: 32 }));
  const lower = (hex: string) => hex.toLowerCase();

  const refused: [name: string, code: ProofErrorCode, document: () => string | Uint8Array][] = [
    ["nothing", "not-json", () => ""],
    ["spaces", "not-json", () => "  \n"],
    ["a text that was cut off", "not-json", () => text.slice(0, -1)],
    ["a text that was cut off within a string", "not-json", () => text.slice(0, 100)],
    ["something behind it", "not-json", () => `${text}{}`],
    ["a comma too many", "not-json", () => text.replace("}", ",}")],
    ["a member without quotes", "not-json", () => text.replace('"format"', "format")],
    ["a string with a line break", "not-json", () => text.replace("31337", '"\n"')],
    ["an escape that is none", "not-json", () => text.replace("31337", '"\\x41"')],
    ["a word", "not-json", () => text.replace("31337", "NaN")],
    ["a number with a zero in front", "not-json", () => text.replace("31337", "031337")],
    ["broken UTF-8", "not-utf8", () => Buffer.from(text.replace("Lease", "\xff"), "latin1")],
    ["half of a character, escaped", "not-utf8", () => changed("asset.uri", "\ud800")],
    ["half of a character", "not-utf8", () => text.replace("31337", '"\udc00"')],
    ["a member twice", "duplicate-member", () => text.replace('"chainId"', '"chainId":31337,"chainId"')],
    [
      "a member twice, once escaped",
      "duplicate-member",
      () => text.replace('"chainId"', '"chain\\u0049d":1,"chainId"'),
    ],
    ["__proto__ twice", "duplicate-member", () => `{"__proto__":1,"__proto__":2}`],
    ["a child twice", "duplicate-member", () => changed("links", [...proof.links, ...proof.links])],
    ["a list", "unknown-format", () => `[${text}]`],
    ["null", "unknown-format", () => "null"],
    ["another format", "unknown-format", () => changed("format", "asset-registry")],
    ["no format", "unknown-format", () => changed("format", undefined)],
    ["an envelope in an envelope", "unknown-format", () => `{"value":{"value":${text}}}`],
    ["an envelope with something beside", "unknown-format", () => `{"value":${text},"error":{}}`],
    ["a later version", "unknown-version", () => changed("version", 2)],
    ["a version in a text", "unknown-version", () => changed("version", "1")],
    ["a member too few", "missing-member", () => changed("asset.salt", undefined)],
    ["a member too many", "unknown-member", () => changed("asset.note", "")],
    ["__proto__ beside", "unknown-member", () => text.replace('"chainId"', '"__proto__":{},"chainId"')],
    ["a chain id in a text", "wrong-type", () => changed("chainId", "31337")],
    ["a chain id above 2^53", "wrong-type", () => text.replace("31337", "9007199254740993")],
    ["a chain id with an exponent", "wrong-type", () => text.replace("31337", "3.1337e4")],
    ["a chain id with a fraction of zero", "wrong-type", () => text.replace("31337", "31337.0")],
    ["a negative block", "wrong-type", () => changed("block.number", -1)],
    ["minus zero", "wrong-type", () => text.replace('"logIndex":0', '"logIndex":-0')],
    [
      "an address with a wrong checksum",
      "wrong-type",
      () => changed("asset.author", author.replace("C8", "c8")),
    ],
    [
      "an address in capitals",
      "wrong-type",
      () => changed("asset.author", `0x${author.slice(2).toUpperCase()}`),
    ],
    ["an address with 0X", "wrong-type", () => changed("asset.author", `0X${lower(author.slice(2))}`)],
    ["an address that is too long", "wrong-type", () => changed("asset.author", `${lower(author)}00`)],
    ["a hash in capitals", "wrong-type", () => changed("asset.salt", `0x${"AA".repeat(32)}`)],
    ["a hash that is too short", "wrong-type", () => changed("asset.salt", `0x${"aa".repeat(31)}`)],
    ["a name that is no text", "wrong-type", () => changed("asset.name", 1)],
    ["a node that is no hex", "wrong-type", () => changed("assetSlot.proof", ["0xzz"])],
    ["a node of half a byte", "wrong-type", () => changed("assetSlot.proof", ["0x0"])],
    ["a node without 0x", "wrong-type", () => changed("assetSlot.proof", ["c0"])],
    ["an empty node", "wrong-type", () => changed("assetSlot.proof", ["0x"])],
    ["an empty header", "wrong-type", () => changed("block.header", "0x")],
    ["nodes that are no list", "wrong-type", () => changed("account.proof", {})],
    ["a node that is too long", "out-of-bounds", () => changed("account.proof", [`0x${"00".repeat(1_025)}`])],
    ["too many nodes", "out-of-bounds", () => changed("account.proof", many(65))],
    ["a header that is too long", "out-of-bounds", () => changed("block.header", `0x${"00".repeat(16_385)}`)],
    [
      "too many links",
      "out-of-bounds",
      () =>
        changed(
          "links",
          many(257).map((id) => ({ child: id, proof: [] })),
        ),
    ],
    ["an event of another form", "wrong-type", () => changed("event.logIndex", "0")],
    ["nesting", "too-deep", () => `{"meta":${"[".repeat(8)}${"]".repeat(8)},"value":${text}}`],
    ["megabytes of nesting", "too-deep", () => "[".repeat(4 * 1024 * 1024)],
    ["megabytes of nesting in objects", "too-deep", () => '{"a":'.repeat(800_000)],
    ["megabytes of values", "too-large", () => `{"meta":[${"[],".repeat(1_000_000)}0]}`],
    ["more than four megabytes", "too-large", () => `${text}${" ".repeat(4 * 1024 * 1024)}`],
    ["more than four megabytes in UTF-8", "too-large", () => `"${"é".repeat(2 * 1024 * 1024)}"`],
  ];
  for (const [name, code, document] of refused) {
    it(`refuses ${name}: ${code}`, () => {
      expect(() => readProof(document()))
        .to.throw(ProofError)
        .with.property("code", code);
      const { verdict, words, checks } = verifyDocument(document());
      expect(verdict).to.equal("cannot check");
      expect(words).to.match(/^The document cannot be read as a proof\. .{10,200}\.$/);
      expect(new Set(checks.map((check) => check.code))).to.deep.equal(new Set(["unreadable-document"]));
    });
  }

  it("tells where the mistake is", () => {
    expect(() => readProof(changed("links", [{ child, proof: ["0x00", "0xgg"] }]))).to.throw(
      "links[0].proof[1] must be 0x and hex digits of whole bytes in lower case.",
    );
    expect(() => readProof(text.slice(0, 50))).to.throw("as if it were cut off");
    expect(() => readProof('{"a":1,"a":2}')).to.throw("The member a is there twice.");
  });

  it("repeats no text of the document that is not plain", () => {
    expect(() => readProof('{"\u009b31m":1,"\u009b31m":2}')).to.throw(/^A member is there twice\.$/);
  });

  it("throws nothing for what is neither text nor bytes, and for lists with holes", () => {
    for (const document of [undefined, null, 5, [], {}, new ArrayBuffer(8)] as unknown as string[]) {
      expect(() => readProof(document))
        .to.throw(ProofError)
        .with.property("code", "wrong-type");
      expect(verifyDocument(document).checks[0]?.code).to.equal("unreadable-document");
    }
    for (const holes of [
      { links: new Array(2) },
      { account: { proof: new Array(2) } },
      { links: [{ child, proof: new Array(1) }] },
    ]) {
      expect(verifyProof({ ...proof, ...holes }).checks[0]?.code).to.equal("unreadable-document");
    }
  });
});
