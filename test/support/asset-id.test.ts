import { expect } from "chai";
import { AbiCoder, keccak256 as ethersKeccak, TypedDataEncoder, toUtf8Bytes } from "ethers";
import fc from "fast-check";
import { type Hex, hashStruct, hashTypedData, toHex } from "viem";
import { type AssetContent, detailFields, mapDetails } from "../../domain/asset/asset.ts";
import { assetType, type Registry, registryDomain } from "../../domain/asset/typed-data.ts";
import { assetId, assetIdOf, hashAsset, rawDetails } from "./asset-id.ts";
import { other, owner } from "./chain/accounts.ts";

const registry: Registry = { chainId: 31_337, address: "0x5FbDB2315678afecb367f032d93F642f64180aa3" };
const SALT: Hex = `0x${"5a".repeat(32)}`;

const bytes32 = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => toHex(bytes));
const address = fc
  .uint8Array({ minLength: 20, maxLength: 20 })
  .map((bytes) => toHex(bytes))
  .filter((hex) => BigInt(hex) > 0n);
/** Empty, short, or 64 KiB long; of any code points, NUL and byte order marks included. */
const text = fc.oneof(
  fc.constant(""),
  fc.string({ unit: "binary", maxLength: 80 }),
  fc.constantFrom("a", "\0", "\ufeff", "é", "\u0308", "😀", "\u{10ffff}").map((letter) => {
    const bytes = new TextEncoder().encode(letter).length;
    return letter.repeat(65_536 / bytes);
  }),
);
const content: fc.Arbitrary<AssetContent> = fc.record({
  author: address,
  salt: bytes32,
  details: fc.record(mapDetails(() => text)),
});
const anyRegistry: fc.Arbitrary<Registry> = fc.record({ chainId: fc.maxSafeNat(), address });

/** The same asset as wallets and libraries are given it. */
const assetTypedData = (where: Registry, { author, salt, details }: AssetContent) => ({
  domain: registryDomain(where),
  types: { Asset: [...assetType] },
  primaryType: "Asset" as const,
  message: { author, salt, ...details },
});

const viemHash = (data: ReturnType<typeof assetTypedData>) =>
  hashTypedData({ ...data, domain: { ...data.domain, chainId: BigInt(data.domain.chainId) } });

const ethersHash = ({ domain, types, message }: ReturnType<typeof assetTypedData>) =>
  TypedDataEncoder.hash(domain, types, message);

describe("assetId", () => {
  it("is the digest that viem and ethers compute, for any content and any registry", () => {
    fc.assert(
      fc.property(anyRegistry, content, (where, asset) => {
        const data = assetTypedData(where, asset);
        const id = assetId(where, asset);
        expect(id).to.equal(viemHash(data));
        expect(id).to.equal(ethersHash(data));
      }),
      { numRuns: 30 },
    );
  });

  it("differs by author, salt, each text, chain and registry", () => {
    const asset: AssetContent = { author: owner.address, salt: SALT, details: mapDetails(() => "text") };
    const ids = [
      assetId(registry, asset),
      assetId({ ...registry, chainId: 1 }, asset),
      assetId({ ...registry, address: other.address }, asset),
      assetId(registry, { ...asset, author: other.address }),
      assetId(registry, { ...asset, salt: `0x${"5b".repeat(32)}` }),
      ...detailFields.map((field) =>
        assetId(registry, { ...asset, details: { ...asset.details, [field]: "Text" } }),
      ),
    ];
    expect(new Set(ids).size).to.equal(ids.length);
  });

  it("differs when text moves from one field into the next", () => {
    const fields = detailFields.slice(0, -1);
    const pairs = fc.record({
      at: fc.nat(fields.length - 1),
      whole: fc.string({ unit: "binary", minLength: 1, maxLength: 40 }),
      cuts: fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.double({ min: 0, max: 1, noNaN: true })),
    });
    fc.assert(
      fc.property(pairs, ({ at, whole, cuts }) => {
        const letters = [...whole];
        const [first, second] = cuts.map((cut) => Math.round(cut * letters.length));
        fc.pre(first !== second);
        const split = (cut: number | undefined) => {
          const details = mapDetails((field) => {
            if (field === detailFields[at]) return letters.slice(0, cut).join("");
            return field === detailFields[at + 1] ? letters.slice(cut).join("") : "";
          });
          return assetId(registry, { author: owner.address, salt: SALT, details });
        };
        expect(split(first)).to.not.equal(split(second));
      }),
      { numRuns: 500 },
    );
  });
});

describe("hashAsset", () => {
  it("is hashStruct of viem for texts", () => {
    fc.assert(
      fc.property(content, (asset) => {
        const { types, message } = assetTypedData(registry, asset);
        expect(hashAsset(asset.author, asset.salt, rawDetails(asset.details))).to.equal(
          hashStruct({ data: message, types, primaryType: "Asset" }),
        );
      }),
      { numRuns: 30 },
    );
  });

  it("hashes bytes that are no valid UTF-8 as the registry does", () => {
    const anyBytes = fc.uint8Array({ maxLength: 100 });
    const typeHash = ethersKeccak(
      toUtf8Bytes(
        "Asset(address author,bytes32 salt,string name,string data,string fileName,string fileType," +
          "string fileSize,string method,string hash,string uri)",
      ),
    );
    fc.assert(
      fc.property(address, bytes32, fc.record(mapDetails(() => anyBytes)), (author, salt, details) => {
        const words = detailFields.map((field) => ethersKeccak(details[field]));
        const encoded = AbiCoder.defaultAbiCoder().encode(
          ["bytes32", "address", "bytes32", ...words.map(() => "bytes32")],
          [typeHash, author, salt, ...words],
        );
        expect(hashAsset(author, salt, details)).to.equal(ethersKeccak(encoded));
      }),
    );
  });

  it("keeps apart what reads alike: a broken byte and the mark that is shown for it", () => {
    const [broken, mark] = ["ff", "efbfbd"].map((hex) =>
      hashAsset(
        owner.address,
        SALT,
        mapDetails(() => Buffer.from(hex, "hex")),
      ),
    );
    expect(broken).to.not.equal(mark);
  });
});

describe("assetIdOf", () => {
  it("makes the id of the struct's hash, so that an id can be checked without the texts", () => {
    const asset: AssetContent = { author: owner.address, salt: SALT, details: mapDetails((field) => field) };
    const structHash = hashAsset(asset.author, asset.salt, rawDetails(asset.details));
    expect(assetIdOf(registry, structHash)).to.equal(assetId(registry, asset));
  });
});

describe("rawDetails", () => {
  it("answers the UTF-8 of each text, in the order of the registry's struct", () => {
    const raw = rawDetails(mapDetails((field) => `${field} é 😀`));
    expect(Object.keys(raw)).to.deep.equal([...detailFields]);
    for (const field of detailFields) {
      expect(toHex(raw[field])).to.equal(toHex(new TextEncoder().encode(`${field} é 😀`)));
    }
  });

  it("answers no bytes for an absent text", () => {
    expect(rawDetails(mapDetails(() => "")).name).to.have.lengthOf(0);
  });
});
