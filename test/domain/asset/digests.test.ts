import { expect } from "chai";
import fc from "fast-check";
import { hexToBytes, padHex, toHex } from "viem";
import { detailFields, mapDetails, type RawDetails } from "../../../domain/asset/asset.ts";
import { assetDigests, contentHash, createDigests } from "../../../domain/asset/digests.ts";
import { assetIdOf, hashAsset } from "../../support/asset-id.ts";
import { other, owner } from "../../support/chain/accounts.ts";

describe("digests of assets", () => {
  const registries = [1, 31_337].map((chainId) => ({ chainId, address: other.address }));
  const text = fc.uint8Array({ maxLength: 300 });
  const details = fc.record(
    Object.fromEntries(detailFields.map((field) => [field, text])) as Record<keyof RawDetails, typeof text>,
  );
  const content = fc.record({
    author: fc.constantFrom(owner.address, other.address),
    salt: fc.nat().map((salt) => padHex(toHex(salt), { size: 32 })),
    details,
  });
  const inBytes = ({
    author,
    salt,
    details,
  }: {
    author: `0x${string}`;
    salt: `0x${string}`;
    details: RawDetails;
  }) => ({
    author: hexToBytes(author),
    salt: hexToBytes(salt),
    texts: detailFields.map((field) => details[field]),
  });

  it("are those of the typed data, whichever registry they are computed for", () => {
    fc.assert(
      fc.property(fc.array(content, { maxLength: 4 }), (contents) => {
        for (const registry of registries) {
          const digestsOf = createDigests(registry);
          for (const one of contents) {
            const hash = hashAsset(one.author, one.salt, one.details);
            const expected = { contentHash: hash, id: assetIdOf(registry, hash) };
            expect(assetDigests(registry, one)).to.deep.equal(expected);
            expect(mapHex(digestsOf(inBytes(one)))).to.deep.equal(expected);
            expect(contentHash(one)).to.equal(hash);
          }
        }
      }),
      { numRuns: 40 },
    );
  });

  it("are the same of texts as of their bytes", () => {
    const texts = mapDetails((field) => `${field} 契約`);
    const bytes = mapDetails((field) => Buffer.from(texts[field]));
    const salt = padHex("0x01", { size: 32 });
    expect(contentHash({ author: owner.address, salt, details: texts })).to.equal(
      contentHash({ author: owner.address, salt, details: bytes }),
    );
  });

  it("stay as they are while others are computed", () => {
    const [one, two] = registries.map(createDigests);
    const empty = mapDetails(() => new Uint8Array());
    const asset = inBytes({ author: owner.address, salt: padHex("0x01", { size: 32 }), details: empty });
    const before = one?.(asset);
    const kept = before && mapHex(before);
    two?.({ ...asset, author: hexToBytes(other.address) });
    expect(before && mapHex(before)).to.deep.equal(kept);
    const again = one?.(asset);
    expect(again && mapHex(again)).to.deep.equal(kept);
  });
});

function mapHex({ contentHash, id }: { contentHash: Uint8Array; id: Uint8Array }) {
  return { contentHash: toHex(contentHash), id: toHex(id) };
}
