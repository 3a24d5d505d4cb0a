import { expect } from "chai";
import { concat } from "ethers";
import {
  assetRecord,
  ethers,
  eventsOf,
  expectRefusal,
  fileRecord,
  followsTree,
  linkRecord,
  mined,
  networkHelpers,
  nonceOf,
  registryWithAssets,
  saltOf,
  UNKNOWN,
} from "./fixture.ts";
import { changeOf, contentOf, FAR, placeOf, signAddLinks, signCreation, signRevokeLinks } from "./signing.ts";

const SALT = saltOf("salt");

describe("multicall", () => {
  followsTree("multicall");

  describe("when one of the calls reverts", () => {
    it("reverts with the error of that call and undoes the others", async () => {
      const { registry, parent, child, second } = await networkHelpers.loadFixture(registryWithAssets);
      const link = (...args: [string, string[]]) => registry.interface.encodeFunctionData("link", args);
      const calls = [link(parent, [child]), link(parent, [second]), link(parent, [UNKNOWN])];
      await expectRefusal(
        registry,
        (overrides) => registry.multicall(calls, overrides),
        ["AssetUnknown", UNKNOWN],
        async () => [await linkRecord(registry, parent, child), await linkRecord(registry, parent, second)],
      );
    });

    it("reverts when a call names no function of the registry", async () => {
      const { registry } = await networkHelpers.loadFixture(registryWithAssets);
      for (const call of ["0x", "0x12345678"]) {
        await expect(registry.multicall([call])).to.be.revertedWithCustomError(registry, "FailedCall");
      }
    });
  });

  describe("when ether is sent along", () => {
    it("reverts", async () => {
      const { registry, author } = await networkHelpers.loadFixture(registryWithAssets);
      const data = registry.interface.encodeFunctionData("multicall", [[]]);
      await expect(
        author.sendTransaction({ to: registry.target, data, value: 1n }),
      ).to.be.revertedWithoutReason(ethers);
    });
  });

  describe("given no calls", () => {
    it("does nothing", async () => {
      const { registry } = await networkHelpers.loadFixture(registryWithAssets);
      expect((await mined(registry.multicall([]))).logs).to.deep.equal([]);
    });
  });

  describe("given several calls", () => {
    it("makes each as its caller would, in the given order", async () => {
      const { registry, author, parent, child } = await networkHelpers.loadFixture(registryWithAssets);
      const link = (...args: [string, string[]]) => registry.interface.encodeFunctionData("link", args);
      const id = await registry.assetId(author.address, SALT, fileRecord);
      const receipt = await mined(
        registry.multicall([
          registry.interface.encodeFunctionData("createAsset", [SALT, fileRecord]),
          link(id, [parent]),
          link(parent, [id, child]),
          registry.interface.encodeFunctionData("revokeLinks", [parent, [id]]),
        ]),
      );
      expect(eventsOf(registry, receipt).map(([name]) => name)).to.deep.equal([
        "AssetCreated",
        "LinkAdded",
        "LinkAdded",
        "LinkAdded",
        "LinkRevoked",
      ]);
      expect((await assetRecord(registry, id)).author).to.equal(author.address);
    });

    it("returns what each call returned", async () => {
      const { registry, author, parent, child } = await networkHelpers.loadFixture(registryWithAssets);
      const results = await registry.multicall.staticCall([
        registry.interface.encodeFunctionData("createAsset", [SALT, fileRecord]),
        registry.interface.encodeFunctionData("link", [parent, [child]]),
      ]);
      expect([...results]).to.deep.equal([await registry.assetId(author.address, SALT, fileRecord), "0x"]);
    });

    it("makes calls within calls", async () => {
      const { registry, parent, child } = await networkHelpers.loadFixture(registryWithAssets);
      const call = registry.interface.encodeFunctionData("link", [parent, [child]]);
      await mined(registry.multicall([registry.interface.encodeFunctionData("multicall", [[call]])]));
      expect((await linkRecord(registry, parent, child)).addedOn).to.be.greaterThan(0n);
    });

    it("carries the signatures of several authors, with somebody's own calls among them", async () => {
      const { registry, author, childAuthor, stranger, parent, child } =
        await networkHelpers.loadFixture(registryWithAssets);
      const place = await placeOf(registry);
      const id = await registry.assetId(childAuthor.address, SALT, fileRecord);
      const creation = await signCreation(
        childAuthor,
        place,
        contentOf(childAuthor.address, SALT, fileRecord),
      );
      const added = await signAddLinks(author, place, changeOf(parent, [child, id], 0n));
      const revoked = await signRevokeLinks(author, place, changeOf(parent, [id], 1n));

      await mined(
        registry
          .connect(stranger)
          .multicall([
            registry.interface.encodeFunctionData("createAssetFor", [
              childAuthor.address,
              SALT,
              fileRecord,
              FAR,
              creation,
            ]),
            registry.interface.encodeFunctionData("createAsset", [SALT, fileRecord]),
            registry.interface.encodeFunctionData("linkFor", [parent, [child, id], 0n, FAR, added]),
            registry.interface.encodeFunctionData("revokeLinksFor", [parent, [id], 1n, FAR, revoked]),
          ]),
      );

      expect((await assetRecord(registry, id)).author).to.equal(childAuthor.address);
      const own = await registry.assetId(stranger.address, SALT, fileRecord);
      expect((await assetRecord(registry, own)).author).to.equal(stranger.address);
      expect((await linkRecord(registry, parent, child)).revokedOn).to.equal(0n);
      expect((await linkRecord(registry, parent, id)).revokedOn).to.be.greaterThan(0n);
      expect(await nonceOf(registry, author.address)).to.equal(2n);
    });

    it("uses a signature once, though it is named twice", async () => {
      const { registry, author, stranger, parent, child } =
        await networkHelpers.loadFixture(registryWithAssets);
      const signature = await signAddLinks(author, await placeOf(registry), changeOf(parent, [child], 0n));
      const call = registry.interface.encodeFunctionData("linkFor", [parent, [child], 0n, FAR, signature]);
      await expectRefusal(
        registry,
        (overrides) => registry.connect(stranger).multicall([call, call], overrides),
        ["InvalidAccountNonce", author.address, 1n],
        async () => [await linkRecord(registry, parent, child), await nonceOf(registry, author.address)],
      );
    });
  });

  describe("given somebody else's address behind a call", () => {
    it("acts for the caller all the same, inside and outside", async () => {
      const { registry, author, stranger, parent, child } =
        await networkHelpers.loadFixture(registryWithAssets);
      const call = registry.interface.encodeFunctionData("link", [parent, [child]]);
      const forged = concat([call, author.address]);
      const batch = registry.interface.encodeFunctionData("multicall", [[forged]]);
      for (const data of [forged, batch, concat([batch, author.address])]) {
        await expect(stranger.sendTransaction({ to: registry.target, data }))
          .to.be.revertedWithCustomError(registry, "NotAuthor")
          .withArgs(parent, author.address, stranger.address);
      }
    });

    it("knows no forwarder that could speak for others", async () => {
      const { registry } = await networkHelpers.loadFixture(registryWithAssets);
      const names = registry.interface.fragments.map((fragment) => fragment.format("full"));
      expect(names.filter((name) => /forwarder/i.test(name))).to.deep.equal([]);
    });
  });
});
