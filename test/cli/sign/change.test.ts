import { expect } from "chai";
import fc from "fast-check";
import { encodeFunctionData, type Hex } from "viem";
import { calldataOf } from "../../../cli/src/sign/change.ts";
import { type AssetDetails, detailFields } from "../../../domain/asset/asset.ts";
import { registryAbi } from "../../../domain/registry/abi.ts";
import { computeAssetId } from "../../../proof/src/proof.ts";
import { assetId } from "../../support/asset-id.ts";

const word = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .map((bytes): Hex => `0x${Buffer.from(bytes).toString("hex")}`);
const texts = fc.record(
  Object.fromEntries(detailFields.map((name) => [name, fc.string({ unit: "grapheme", maxLength: 80 })])),
) as fc.Arbitrary<AssetDetails>;

describe("the call of a change", () => {
  it("of a creation is the registry's, and its id the service's, for any texts", () => {
    fc.assert(
      fc.property(word, texts, (salt, details) => {
        const expected = encodeFunctionData({
          abi: registryAbi,
          functionName: "createAsset",
          args: [salt, details],
        });
        expect(calldataOf({ kind: "create", salt, texts: details })).to.equal(expected);
        const registry = { chainId: 5, address: "0xD93890a3150f24626205110AeAAe5d727cc68547" } as const;
        const author = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
        const id = computeAssetId({ chainId: 5, registry: registry.address, author, salt, ...details });
        expect(id).to.equal(assetId(registry, { author, salt, details }));
      }),
      { numRuns: 200 },
    );
  });

  for (const [kind, functionName] of [
    ["link", "link"],
    ["revoke", "revokeLinks"],
  ] as const) {
    it(`to ${kind} links is the registry's ${functionName}`, () => {
      fc.assert(
        fc.property(word, fc.array(word, { minLength: 1, maxLength: 5 }), (parent, children) => {
          const expected = encodeFunctionData({ abi: registryAbi, functionName, args: [parent, children] });
          expect(calldataOf({ kind, parent, children })).to.equal(expected);
        }),
        { numRuns: 100 },
      );
    });
  }
});
