import { expect } from "chai";
import { AbiCoder, concat, hexlify } from "ethers";
import fc from "fast-check";
import { type Hex, hashTypedData } from "viem";
import { detailFields, mapDetails, type RawDetails } from "../../domain/asset/asset.ts";
import {
  addLinksTypedData,
  createAssetTypedData,
  revokeLinksTypedData,
} from "../../domain/asset/typed-data.ts";
import { registryTextBytes } from "../../domain/limits.ts";
import { assetId, assetIdOf, hashAsset } from "../support/asset-id.ts";
import { ethers, freshRegistry, networkHelpers, registryWithAssets } from "./fixture.ts";
import { changeOf, contentOf, digestOf, FAR, placeOf } from "./signing.ts";

type Registry = Awaited<ReturnType<typeof freshRegistry>>["registry"];

const word = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => hexlify(bytes) as Hex);
const address = fc
  .uint8Array({ minLength: 20, maxLength: 20 })
  .filter((bytes) => bytes.some((byte) => byte !== 0))
  .map((bytes) => ethers.getAddress(hexlify(bytes)));
const deadline = fc.bigInt(FAR, 2n ** 256n - 1n);
/** What people write, and nothing, and as much of it as the registry takes. */
const text = (most: number) =>
  fc.oneof(
    {
      weight: 40,
      arbitrary: fc.string({ unit: "binary", maxLength: 80 }).filter((value) => value.isWellFormed()),
    },
    { weight: 10, arbitrary: fc.constant("") },
    { weight: 1, arbitrary: fc.constantFrom("x".repeat(most), "📄".repeat(most / 4)) },
  );
/** What only the chain brings: broken UTF-8, NUL, anything. */
const bytes = (most: number) =>
  fc.oneof(
    { weight: 40, arbitrary: fc.uint8Array({ maxLength: 80 }) },
    { weight: 1, arbitrary: fc.constant(new Uint8Array(most).fill(0xff)) },
  );
/** Calls of a quarter of a megabyte make these tests slow. */
const longest = 65_536;
const everyText = <Value>(value: (most: number) => fc.Arbitrary<Value>) =>
  fc
    .tuple(...detailFields.map((field) => value(Math.min(longest, registryTextBytes[field]))))
    .map((values) => mapDetails((field) => values[detailFields.indexOf(field)] as Value));

/** The service's words for what is signed (viem), those of a wallet (ethers) and the contract's: all three agree. */
describe("typed data", () => {
  it("gives the ids and digests of the contract for any text", async () => {
    const { registry } = await networkHelpers.loadFixture(freshRegistry);
    const place = await placeOf(registry);
    await fc.assert(
      fc.asyncProperty(address, word, everyText(text), deadline, async (author, salt, details, until) => {
        const content = contentOf(author, salt, details);
        expect(assetId(place, content)).to.equal(await registry.assetId(author, salt, details));

        const typedData = createAssetTypedData(place, content, until);
        const digest = await digestAskedFor(registry, encodeCreation(registry, author, salt, details, until));
        expect(hashTypedData(typedData)).to.equal(digest);
        expect(digestOf(typedData)).to.equal(digest);
      }),
      { numRuns: 100 },
    );
  });

  it("gives the ids of the contract for any bytes", async () => {
    const { registry } = await networkHelpers.loadFixture(freshRegistry);
    const place = await placeOf(registry);
    await fc.assert(
      fc.asyncProperty(address, word, everyText(bytes), async (author, salt, details) => {
        const assetHash = hashAsset(author as Hex, salt, details);
        const asked = await ethers.provider.call({
          to: registry.target,
          data: encodeId(registry, author, salt, details),
        });
        expect(assetIdOf(place, assetHash)).to.equal(asked);
      }),
      { numRuns: 100 },
    );
  });

  it("gives the digests of the contract for any change of links", async () => {
    const { registry, parent } = await networkHelpers.loadFixture(registryWithAssets);
    const place = await placeOf(registry);
    const children = fc.array(word, { maxLength: 30 });
    const key = fc.bigInt(0n, 2n ** 192n - 1n).map((value) => value << 64n);
    await fc.assert(
      fc.asyncProperty(children, key, deadline, async (list, nonce, until) => {
        const change = changeOf(parent, list, nonce, until);
        for (const [name, typedData] of [
          ["linkFor", addLinksTypedData(place, change)],
          ["revokeLinksFor", revokeLinksTypedData(place, change)],
        ] as const) {
          const { data } = await registry[name].populateTransaction(parent, list, nonce, until, "0x");
          const digest = await digestAskedFor(registry, data);
          expect(hashTypedData(typedData as Parameters<typeof hashTypedData>[0])).to.equal(digest);
          expect(digestOf(typedData)).to.equal(digest);
        }
      }),
      { numRuns: 100 },
    );
  });
});

/** What the contract wants to be signed: it says so when it is given something else. */
async function digestAskedFor(registry: Registry, data: string): Promise<string> {
  try {
    await ethers.provider.call({ to: registry.target, data });
  } catch (error) {
    const refusal = registry.interface.parseError((error as { data: string }).data);
    if (refusal?.name === "SignatureInvalid") return refusal.args["digest"];
  }
  throw new Error("the signature was not found wanting");
}

type Texts = Record<(typeof detailFields)[number], string> | RawDetails;

const rawTypes = `(${detailFields.map(() => "bytes").join(",")})`;

function raw(details: Texts): Uint8Array[] {
  return detailFields.map((field) => {
    const value = details[field];
    return typeof value === "string" ? new TextEncoder().encode(value) : value;
  });
}

/** The calls with `bytes` where the contract has `string`, which are encoded alike. */
function encodeCreation(
  registry: Registry,
  author: string,
  salt: string,
  details: Texts,
  until: bigint,
): string {
  const types = ["address", "bytes32", rawTypes, "uint256", "bytes"];
  return concat([
    registry.interface.getFunction("createAssetFor").selector,
    AbiCoder.defaultAbiCoder().encode(types, [author, salt, raw(details), until, "0x"]),
  ]);
}

function encodeId(registry: Registry, author: string, salt: string, details: Texts): string {
  const { selector } = registry.interface.getFunction("assetId");
  return concat([
    selector,
    AbiCoder.defaultAbiCoder().encode(["address", "bytes32", rawTypes], [author, salt, raw(details)]),
  ]);
}
