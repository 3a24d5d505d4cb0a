import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import fc from "fast-check";
import type { Address, Hex } from "viem";
import { detailFields, mapDetails } from "../../../domain/asset/asset.ts";
import { assetDigests } from "../../../domain/asset/digests.ts";
import { domainSeparator as domainByViem } from "../../../domain/asset/typed-data.ts";
import { utf8 } from "../../../proof/src/bytes/bytes.ts";
import { computeAssetId, computeContentHash } from "../../../proof/src/compute-asset-id.ts";
import { assetTexts, registryAddress } from "../../../proof/src/proof.ts";
import { assetId, contentHash, domainSeparator } from "../../../proof/src/registry/asset-id.ts";
import { assetSlot, linkSlot } from "../../../proof/src/registry/slots.ts";
import { slots } from "../../support/proof/node-proof.ts";
import { bytes, hex } from "../../support/proof/trie.ts";

const root = join(import.meta.dirname, "..", "..", "..");
const hexOf = (length: number) =>
  fc.uint8Array({ minLength: length, maxLength: length }).map((value) => hex(value));
const text = fc.string({ unit: "binary", maxLength: 40 });

describe("the registry, as proofs know it", () => {
  it("has the address that is pinned, and the texts of an asset in their order", async () => {
    const pinned = JSON.parse(await readFile(join(root, "deployments", "registry.json"), "utf8"));
    expect(registryAddress).to.equal(pinned.address);
    expect(assetTexts).to.deep.equal(detailFields);
  });

  it("gives the ids that the service computes, of any content on any chain", () => {
    fc.assert(
      fc.property(
        ...([
          fc.maxSafeNat(),
          hexOf(20),
          hexOf(20),
          hexOf(32),
          fc.array(text, { minLength: 8, maxLength: 8 }),
        ] as const),
        (chainId, registry, author, salt, texts) => {
          const details = mapDetails((field) => texts[detailFields.indexOf(field)] as string);
          const place = { chainId, address: registry as Address };
          const expected = assetDigests(place, { author, salt, details });
          const content = { author: bytes(author), salt: bytes(salt), texts: texts.map(utf8) };
          expect(hex(contentHash(content))).to.equal(expected.contentHash);
          expect(hex(assetId(chainId, bytes(registry), content))).to.equal(expected.id);
          const asset = { author, salt, ...details };
          expect(computeContentHash(asset)).to.equal(expected.contentHash);
          expect(computeAssetId({ chainId, registry, ...asset })).to.equal(expected.id);
          expect(hex(domainSeparator(chainId, bytes(registry)))).to.equal(domainByViem(place));
        },
      ),
      { seed: 1 },
    );
  });

  it("has its slots where another library computes them", () => {
    const [id, child] = [`0x${"12".repeat(32)}`, `0x${"34".repeat(32)}`] as [Hex, Hex];
    expect(hex(assetSlot(bytes(id)))).to.equal(slots.asset(id));
    expect(hex(linkSlot(bytes(id), bytes(child)))).to.equal(slots.link(id, child));
  });
});
