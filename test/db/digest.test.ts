import { expect } from "chai";
import fc from "fast-check";
import { keccak256, padHex, toHex } from "viem";
import { contentHash, createDigests, keccakOf } from "../../db/digest.ts";
import { detailFields, mapDetails, type RawDetails } from "../../domain/asset.ts";
import { assetIdOf, hashAsset } from "../../domain/typed-data.ts";
import { other, owner } from "../support/accounts.ts";

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

  it("are those of the domain, however many are made at once and for whichever registry", () => {
    fc.assert(
      fc.property(fc.array(content, { maxLength: 7 }), (contents) => {
        for (const registry of registries) {
          const expected = contents.map(({ author, salt, details }) => {
            const hash = hashAsset(author, salt, details);
            return { contentHash: hash, id: assetIdOf(registry, hash) };
          });
          expect(createDigests(registry)(contents)).to.deep.equal(expected);
        }
      }),
      { numRuns: 40 },
    );
  });

  it("are not mixed up by those made between", () => {
    const [one, two] = registries.map(createDigests);
    const empty = mapDetails(() => new Uint8Array());
    const asset = { author: owner.address, salt: padHex("0x01", { size: 32 }), details: empty };
    const before = one?.([asset]);
    two?.([asset, asset]);
    contentHash(other.address, padHex("0x02", { size: 32 }), empty);
    expect(one?.([asset])).to.deep.equal(before);
  });

  it("leave room for those of any message, as bytes or as hex", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 1_000 }), content, (message, asset) => {
        const [digests] = registries.map((registry) => createDigests(registry)([asset]));
        expect(keccakOf(message)).to.equal(keccak256(message));
        expect(keccakOf(toHex(message))).to.equal(keccak256(message));
        expect(registries.map((registry) => createDigests(registry)([asset]))[0]).to.deep.equal(digests);
      }),
      { numRuns: 40 },
    );
    const large = new Uint8Array(300_000).fill(7);
    expect(keccakOf(large)).to.equal(keccak256(large));
  });
});
