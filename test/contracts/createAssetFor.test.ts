import { expect } from "chai";
import { ZeroHash } from "ethers";
import { createAssetTypedData } from "../../domain/asset/typed-data.ts";
import {
  assetRecord,
  detailsOf,
  ethers,
  eventsOf,
  expectRefusal,
  fileRecord,
  followsTree,
  freshRegistry,
  GAS_CAP,
  mined,
  networkHelpers,
  saltOf,
  textFields,
  tooLong,
} from "./fixture.ts";
import { contentOf, digestOf, FAR, placeOf, signCreation } from "./signing.ts";

const SALT = saltOf("salt");

/** What makes a signature good or bad by itself is in signature.test.ts. */
describe("createAssetFor", () => {
  followsTree("createAssetFor");

  /** A registry, an author who has signed the creation of the file record, and somebody who hands it in. */
  async function signedRecord() {
    const { registry, author, childAuthor, stranger } = await freshRegistry();
    const place = await placeOf(registry);
    const content = contentOf(author.address, SALT, fileRecord);
    const signature = await signCreation(author, place, content);
    const id = await registry.assetId(author.address, SALT, fileRecord);
    return {
      registry: registry.connect(stranger),
      author,
      childAuthor,
      stranger,
      place,
      content,
      signature,
      id,
    };
  }

  describe("when the deadline is over", () => {
    it("reverts with DeadlineExpired, even for a good signature", async () => {
      const { registry, author, place, content, id } = await networkHelpers.loadFixture(signedRecord);
      const deadline = BigInt(await networkHelpers.time.latest());
      const signature = await signCreation(author, place, content, deadline);
      await networkHelpers.time.setNextBlockTimestamp(deadline + 1n);
      await expectRefusal(
        registry,
        (overrides) =>
          registry.createAssetFor(author.address, SALT, fileRecord, deadline, signature, overrides),
        ["DeadlineExpired", deadline, deadline + 1n],
        () => assetRecord(registry, id),
      );
    });
  });

  describe("when any part differs from what was signed", () => {
    it("reverts with SignatureInvalid for another author", async () => {
      const { registry, childAuthor, place, signature } = await networkHelpers.loadFixture(signedRecord);
      const id = await registry.assetId(childAuthor.address, SALT, fileRecord);
      const content = contentOf(childAuthor.address, SALT, fileRecord);
      await expectRefusal(
        registry,
        (overrides) =>
          registry.createAssetFor(childAuthor.address, SALT, fileRecord, FAR, signature, overrides),
        ["SignatureInvalid", childAuthor.address, digestOf(createAssetTypedData(place, content, FAR))],
        () => assetRecord(registry, id),
      );
    });

    it("reverts with SignatureInvalid for another salt", async () => {
      const { registry, author, place, content, signature } = await networkHelpers.loadFixture(signedRecord);
      const id = await registry.assetId(author.address, ZeroHash, fileRecord);
      const other = { ...content, salt: ZeroHash as `0x${string}` };
      await expectRefusal(
        registry,
        (overrides) =>
          registry.createAssetFor(author.address, ZeroHash, fileRecord, FAR, signature, overrides),
        ["SignatureInvalid", author.address, digestOf(createAssetTypedData(place, other, FAR))],
        () => assetRecord(registry, id),
      );
    });

    it("reverts with SignatureInvalid for each text that is not what was signed", async () => {
      const { registry, author, place, content, signature } = await networkHelpers.loadFixture(signedRecord);
      for (const field of textFields) {
        const details = { ...fileRecord, [field]: `${fileRecord[field]} ` };
        const id = await registry.assetId(author.address, SALT, details);
        await expectRefusal(
          registry,
          (overrides) => registry.createAssetFor(author.address, SALT, details, FAR, signature, overrides),
          [
            "SignatureInvalid",
            author.address,
            digestOf(createAssetTypedData(place, { ...content, details }, FAR)),
          ],
          () => assetRecord(registry, id),
        );
      }
    });
  });

  describe("when the author has cancelled the creation", () => {
    it("reverts with CreationIsCancelled, saying when", async () => {
      const { registry, author, signature, id } = await networkHelpers.loadFixture(signedRecord);
      await registry.connect(author).cancelCreation(SALT, fileRecord);
      const cancelledOn = await networkHelpers.time.latest();
      await expectRefusal(
        registry,
        (overrides) => registry.createAssetFor(author.address, SALT, fileRecord, FAR, signature, overrides),
        ["CreationIsCancelled", id, cancelledOn],
        () => assetRecord(registry, id),
      );
    });

    it("reverts with CreationIsCancelled for a later deadline too", async () => {
      const { registry, author, place, content, id } = await networkHelpers.loadFixture(signedRecord);
      await registry.connect(author).cancelCreation(SALT, fileRecord);
      const cancelledOn = await networkHelpers.time.latest();
      const later = await signCreation(author, place, content, FAR + 1n);
      await expectRefusal(
        registry,
        (overrides) => registry.createAssetFor(author.address, SALT, fileRecord, FAR + 1n, later, overrides),
        ["CreationIsCancelled", id, cancelledOn],
        () => assetRecord(registry, id),
      );
    });
  });

  describe("when the name is empty", () => {
    it("reverts with AssetNameEmpty", async () => {
      const { registry, author, place } = await networkHelpers.loadFixture(signedRecord);
      const details = { ...fileRecord, name: "" };
      const signature = await signCreation(author, place, contentOf(author.address, SALT, details));
      const id = await registry.assetId(author.address, SALT, details);
      await expectRefusal(
        registry,
        (overrides) => registry.createAssetFor(author.address, SALT, details, FAR, signature, overrides),
        ["AssetNameEmpty"],
        () => assetRecord(registry, id),
      );
    });
  });

  describe("when a text has more bytes than the registry takes", () => {
    it("reverts with AssetTextTooLong, though the author signed it", async () => {
      const { registry, author, place, id } = await networkHelpers.loadFixture(signedRecord);
      for (const { details, refusal } of tooLong) {
        const signature = await signCreation(author, place, contentOf(author.address, SALT, details));
        await expectRefusal(
          registry,
          (overrides) => registry.createAssetFor(author.address, SALT, details, FAR, signature, overrides),
          refusal,
          () => assetRecord(registry, id),
          GAS_CAP,
        );
      }
    });
  });

  describe("when ether is sent along", () => {
    it("reverts", async () => {
      const { registry, author, stranger, signature } = await networkHelpers.loadFixture(signedRecord);
      const data = registry.interface.encodeFunctionData("createAssetFor", [
        author.address,
        SALT,
        fileRecord,
        FAR,
        signature,
      ]);
      await expect(
        stranger.sendTransaction({ to: registry.target, data, value: 1n }),
      ).to.be.revertedWithoutReason(ethers);
    });
  });

  describe("given the asset exists", () => {
    it("reverts with AssetExists when the same signature made it", async () => {
      const { registry, author, signature, id } = await networkHelpers.loadFixture(signedRecord);
      await registry.createAssetFor(author.address, SALT, fileRecord, FAR, signature);
      await expectRefusal(
        registry,
        (overrides) => registry.createAssetFor(author.address, SALT, fileRecord, FAR, signature, overrides),
        ["AssetExists", id],
        () => assetRecord(registry, id),
      );
    });

    it("reverts with AssetExists when the author made it directly", async () => {
      const { registry, author, signature, id } = await networkHelpers.loadFixture(signedRecord);
      await registry.connect(author).createAsset(SALT, fileRecord);
      await expectRefusal(
        registry,
        (overrides) => registry.createAssetFor(author.address, SALT, fileRecord, FAR, signature, overrides),
        ["AssetExists", id],
        () => assetRecord(registry, id),
      );
    });

    it("reverts with AssetExists when the author made it directly after a cancellation", async () => {
      const { registry, author, signature, id } = await networkHelpers.loadFixture(signedRecord);
      await registry.connect(author).cancelCreation(SALT, fileRecord);
      await registry.connect(author).createAsset(SALT, fileRecord);
      await expectRefusal(
        registry,
        (overrides) => registry.createAssetFor(author.address, SALT, fileRecord, FAR, signature, overrides),
        ["AssetExists", id],
        () => assetRecord(registry, id),
      );
    });
  });

  describe("given the asset does not exist", () => {
    it("stores the author who signed, and the block's time", async () => {
      const { registry, author, signature, id } = await networkHelpers.loadFixture(signedRecord);
      const time = (await networkHelpers.time.latest()) + 1000;
      await networkHelpers.time.setNextBlockTimestamp(time);
      await registry.createAssetFor(author.address, SALT, fileRecord, FAR, signature);
      expect(await assetRecord(registry, id)).to.deep.equal({
        author: author.address,
        createdOn: BigInt(time),
        cancelledOn: 0n,
      });
    });

    it("emits AssetCreated as a direct creation does, and nothing else", async () => {
      const { registry, author, signature, id } = await networkHelpers.loadFixture(signedRecord);
      const receipt = await mined(registry.createAssetFor(author.address, SALT, fileRecord, FAR, signature));
      expect(eventsOf(registry, receipt)).to.deep.equal([
        ["AssetCreated", id, author.address, SALT, Object.values(fileRecord)],
      ]);
    });

    it("returns the id", async () => {
      const { registry, author, signature, id } = await networkHelpers.loadFixture(signedRecord);
      expect(
        await registry.createAssetFor.staticCall(author.address, SALT, fileRecord, FAR, signature),
      ).to.equal(id);
    });

    it("needs no text but the name", async () => {
      const { registry, author, place } = await networkHelpers.loadFixture(signedRecord);
      const details = detailsOf({ name: "A" });
      const signature = await signCreation(author, place, contentOf(author.address, SALT, details));
      await mined(registry.createAssetFor(author.address, SALT, details, FAR, signature));
    });

    it("has the author's effect whoever hands the signature in first", async () => {
      const { registry, author, childAuthor, signature, id } = await networkHelpers.loadFixture(signedRecord);
      await registry.connect(childAuthor).createAssetFor(author.address, SALT, fileRecord, FAR, signature);
      expect((await assetRecord(registry, id)).author).to.equal(author.address);
    });
  });
});
