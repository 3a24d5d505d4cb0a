import { expect } from "chai";
import { AbiCoder, keccak256, toBeHex, ZeroAddress, zeroPadValue } from "ethers";
import { storageSlots } from "../../proof/src/registry/slots.ts";
import {
  assetRecord,
  ethers,
  followsTree,
  linkRecord,
  networkHelpers,
  registryWithAssets,
  UNKNOWN,
} from "./fixture.ts";

const assetsSlot = BigInt(storageSlots.assets);
const linksSlot = BigInt(storageSlots.links);

describe("assetOf", () => {
  followsTree("assetOf");

  describe("given the asset is unknown", () => {
    it("returns zeros", async () => {
      const { registry } = await networkHelpers.loadFixture(registryWithAssets);
      expect(await assetRecord(registry, UNKNOWN)).to.deep.equal({
        author: ZeroAddress,
        createdOn: 0n,
        cancelledOn: 0n,
      });
    });
  });

  describe("given the asset exists", () => {
    it("returns its author and the time of creation", async () => {
      const { registry, childAuthor, foreign } = await networkHelpers.loadFixture(registryWithAssets);
      // The fixture creates this asset in its last block.
      const createdOn = BigInt(await networkHelpers.time.latest());
      expect(await assetRecord(registry, foreign)).to.deep.equal({
        author: childAuthor.address,
        createdOn,
        cancelledOn: 0n,
      });
    });

    it("reads one storage slot, where a proof finds both", async () => {
      const { registry, foreign } = await networkHelpers.loadFixture(registryWithAssets);
      const { author, createdOn } = await assetRecord(registry, foreign);
      const word = await ethers.provider.getStorage(registry.target, entry(foreign, assetsSlot));
      expect(BigInt(word)).to.equal((createdOn << 160n) | BigInt(author));
    });

    it("does not depend on links", async () => {
      const { registry, parent, child } = await networkHelpers.loadFixture(registryWithAssets);
      const before = [await assetRecord(registry, parent), await assetRecord(registry, child)];
      await registry.link(parent, [child]);
      await registry.revokeLinks(parent, [child]);
      expect([await assetRecord(registry, parent), await assetRecord(registry, child)]).to.deep.equal(before);
    });
  });
});

describe("linkOf", () => {
  followsTree("linkOf");

  describe("given the link was never added", () => {
    it("returns zeros", async () => {
      const { registry, parent, child } = await networkHelpers.loadFixture(registryWithAssets);
      expect(await linkRecord(registry, parent, child)).to.deep.equal({ addedOn: 0n, revokedOn: 0n });
      expect(await linkRecord(registry, parent, UNKNOWN)).to.deep.equal({ addedOn: 0n, revokedOn: 0n });
    });
  });

  describe("given the link stands", () => {
    it("returns since when", async () => {
      const { registry, parent, child } = await networkHelpers.loadFixture(registryWithAssets);
      await registry.link(parent, [child]);
      const addedOn = BigInt(await networkHelpers.time.latest());
      expect(await linkRecord(registry, parent, child)).to.deep.equal({ addedOn, revokedOn: 0n });
    });
  });

  describe("given the link is revoked", () => {
    it("returns both times", async () => {
      const { registry, parent, child } = await networkHelpers.loadFixture(registryWithAssets);
      await registry.link(parent, [child]);
      const addedOn = BigInt(await networkHelpers.time.latest());
      await registry.revokeLinks(parent, [child]);
      const revokedOn = BigInt(await networkHelpers.time.latest());
      expect(revokedOn).to.be.greaterThan(addedOn);
      expect(await linkRecord(registry, parent, child)).to.deep.equal({ addedOn, revokedOn });
    });

    it("reads one storage slot, where a proof finds both", async () => {
      const { registry, parent, child } = await networkHelpers.loadFixture(registryWithAssets);
      await registry.link(parent, [child]);
      await registry.revokeLinks(parent, [child]);
      const { addedOn, revokedOn } = await linkRecord(registry, parent, child);
      const slot = entry(child, BigInt(entry(parent, linksSlot)));
      const word = await ethers.provider.getStorage(registry.target, slot);
      expect(BigInt(word)).to.equal((revokedOn << 48n) | addedOn);
    });
  });
});

/** Slot of a mapping's entry. */
function entry(key: string, slot: bigint): string {
  const words = [key, zeroPadValue(toBeHex(slot), 32)];
  return keccak256(AbiCoder.defaultAbiCoder().encode(["bytes32", "bytes32"], words));
}
