import { expect } from "chai";
import { ZeroAddress } from "ethers";
import {
  assetRecord,
  createAsset,
  ethers,
  eventsOf,
  expectRefusal,
  fileRecord,
  followsTree,
  freshRegistry,
  GAS_CAP,
  linkRecord,
  mined,
  networkHelpers,
  saltOf,
  tooLong,
} from "./fixture.ts";
import { contentOf, FAR, placeOf, signCreation } from "./signing.ts";

const SALT = saltOf("salt");

describe("cancelCreation", () => {
  followsTree("cancelCreation");

  describe("given the asset exists", () => {
    it("reverts with AssetExists", async () => {
      const { registry, author } = await networkHelpers.loadFixture(freshRegistry);
      await registry.createAsset(SALT, fileRecord);
      const id = await registry.assetId(author.address, SALT, fileRecord);
      await expectRefusal(
        registry,
        (overrides) => registry.cancelCreation(SALT, fileRecord, overrides),
        ["AssetExists", id],
        () => assetRecord(registry, id),
      );
    });
  });

  describe("given the creation is cancelled", () => {
    it("reverts with CreationIsCancelled and keeps the time", async () => {
      const { registry, author } = await networkHelpers.loadFixture(freshRegistry);
      const id = await registry.assetId(author.address, SALT, fileRecord);
      await registry.cancelCreation(SALT, fileRecord);
      const cancelledOn = await networkHelpers.time.latest();
      await expectRefusal(
        registry,
        (overrides) => registry.cancelCreation(SALT, fileRecord, overrides),
        ["CreationIsCancelled", id, cancelledOn],
        () => assetRecord(registry, id),
      );
    });
  });

  describe("when a text has more bytes than the registry takes", () => {
    it("reverts with AssetTextTooLong: there is no such creation", async () => {
      const { registry, author } = await networkHelpers.loadFixture(freshRegistry);
      const id = await registry.assetId(author.address, SALT, fileRecord);
      for (const { details, refusal } of tooLong) {
        await expectRefusal(
          registry,
          (overrides) => registry.cancelCreation(SALT, details, overrides),
          refusal,
          () => assetRecord(registry, id),
          GAS_CAP,
        );
      }
    });
  });

  describe("when ether is sent along", () => {
    it("reverts", async () => {
      const { registry, author } = await networkHelpers.loadFixture(freshRegistry);
      const data = registry.interface.encodeFunctionData("cancelCreation", [SALT, fileRecord]);
      await expect(
        author.sendTransaction({ to: registry.target, data, value: 1n }),
      ).to.be.revertedWithoutReason(ethers);
    });
  });

  describe("given the asset neither exists nor is cancelled", () => {
    it("stores the block's time and no author", async () => {
      const { registry, author } = await networkHelpers.loadFixture(freshRegistry);
      const id = await registry.assetId(author.address, SALT, fileRecord);
      const time = (await networkHelpers.time.latest()) + 1000;
      await networkHelpers.time.setNextBlockTimestamp(time);
      await registry.cancelCreation(SALT, fileRecord);
      expect(await assetRecord(registry, id)).to.deep.equal({
        author: ZeroAddress,
        createdOn: 0n,
        cancelledOn: BigInt(time),
      });
    });

    it("emits CreationCancelled, and nothing else", async () => {
      const { registry, author } = await networkHelpers.loadFixture(freshRegistry);
      const id = await registry.assetId(author.address, SALT, fileRecord);
      const receipt = await mined(registry.cancelCreation(SALT, fileRecord));
      expect(eventsOf(registry, receipt)).to.deep.equal([["CreationCancelled", id, author.address]]);
    });

    it("returns the id", async () => {
      const { registry, author } = await networkHelpers.loadFixture(freshRegistry);
      expect(await registry.cancelCreation.staticCall(SALT, fileRecord)).to.equal(
        await registry.assetId(author.address, SALT, fileRecord),
      );
    });

    it("makes no asset: nothing can be linked to it", async () => {
      const { registry, author } = await networkHelpers.loadFixture(freshRegistry);
      const parent = await createAsset(registry, author.address, "Contract");
      const id = await registry.assetId(author.address, SALT, fileRecord);
      await registry.cancelCreation(SALT, fileRecord);
      for (const [from, to] of [
        [parent, id],
        [id, parent],
      ] as const) {
        await expectRefusal(
          registry,
          (overrides) => registry.link(from, [to], overrides),
          ["AssetUnknown", id],
          () => linkRecord(registry, from, to),
        );
      }
    });

    it("leaves the same content of everybody else alone", async () => {
      const { registry, author, stranger } = await networkHelpers.loadFixture(freshRegistry);
      const signature = await signCreation(
        author,
        await placeOf(registry),
        contentOf(author.address, SALT, fileRecord),
      );
      await registry.connect(stranger).cancelCreation(SALT, fileRecord);
      await mined(registry.createAssetFor(author.address, SALT, fileRecord, FAR, signature));
    });

    it("cancels for a contract that somebody calls, and not for that somebody", async () => {
      const { registry, author } = await networkHelpers.loadFixture(freshRegistry);
      const relay = await ethers.deployContract("Relay");
      const call = registry.interface.encodeFunctionData("cancelCreation", [SALT, fileRecord]);

      const receipt = await mined(relay.getFunction("pass")(registry.target, call));

      const id = await registry.assetId(relay.target, SALT, fileRecord);
      expect(eventsOf(registry, receipt)).to.deep.equal([["CreationCancelled", id, relay.target]]);
      const own = await registry.assetId(author.address, SALT, fileRecord);
      expect((await assetRecord(registry, own)).cancelledOn).to.equal(0n);
    });

    it("leaves the author free to create it directly, which clears the cancellation", async () => {
      const { registry, author } = await networkHelpers.loadFixture(freshRegistry);
      const id = await registry.assetId(author.address, SALT, fileRecord);
      await registry.cancelCreation(SALT, fileRecord);
      await registry.createAsset(SALT, fileRecord);
      expect(await assetRecord(registry, id)).to.deep.equal({
        author: author.address,
        createdOn: BigInt(await networkHelpers.time.latest()),
        cancelledOn: 0n,
      });
    });
  });
});
