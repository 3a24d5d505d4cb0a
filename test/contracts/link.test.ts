import { expect } from "chai";
import {
  createAsset,
  ethers,
  eventsOf,
  expectRefusal,
  followsTree,
  linkRecord,
  mined,
  networkHelpers,
  registryWithAssets,
  UNKNOWN,
} from "./fixture.ts";

const NEVER_ADDED = { addedOn: 0n, revokedOn: 0n };

describe("link", () => {
  followsTree("link");

  describe("when the parent is unknown", () => {
    it("reverts with AssetUnknown, naming the parent", async () => {
      const { registry, child } = await networkHelpers.loadFixture(registryWithAssets);
      await expectRefusal(
        registry,
        (overrides) => registry.link(UNKNOWN, [child], overrides),
        ["AssetUnknown", UNKNOWN],
        () => linkRecord(registry, UNKNOWN, child),
      );
    });
  });

  describe("when the caller is not the parent's author", () => {
    describe("when a stranger calls", () => {
      it("reverts with NotAuthor", async () => {
        const { registry, parent, child, author, stranger } =
          await networkHelpers.loadFixture(registryWithAssets);
        await expectRefusal(
          registry,
          (overrides) => registry.connect(stranger).link(parent, [child], overrides),
          ["NotAuthor", parent, author.address, stranger.address],
          () => linkRecord(registry, parent, child),
        );
      });
    });

    describe("when the child's author calls", () => {
      it("reverts with NotAuthor", async () => {
        const { registry, parent, foreign, author, childAuthor } =
          await networkHelpers.loadFixture(registryWithAssets);
        await expectRefusal(
          registry,
          (overrides) => registry.connect(childAuthor).link(parent, [foreign], overrides),
          ["NotAuthor", parent, author.address, childAuthor.address],
          () => linkRecord(registry, parent, foreign),
        );
      });
    });

    describe("when the author calls through another contract", () => {
      it("reverts with NotAuthor, naming that contract", async () => {
        const { registry, parent, child, author } = await networkHelpers.loadFixture(registryWithAssets);
        const relay = await ethers.deployContract("Relay");
        const call = registry.interface.encodeFunctionData("link", [parent, [child]]);
        await expectRefusal(
          registry,
          (overrides) => relay.getFunction("pass")(registry.target, call, overrides),
          ["NotAuthor", parent, author.address, relay.target],
          () => linkRecord(registry, parent, child),
        );
      });
    });
  });

  describe("when no child is named", () => {
    it("reverts with NoChildren", async () => {
      const { registry, parent, child } = await networkHelpers.loadFixture(registryWithAssets);
      await expectRefusal(
        registry,
        (overrides) => registry.link(parent, [], overrides),
        ["NoChildren", parent],
        () => linkRecord(registry, parent, child),
      );
    });
  });

  describe("when ether is sent along", () => {
    it("reverts", async () => {
      const { registry, author, parent, child } = await networkHelpers.loadFixture(registryWithAssets);
      const data = registry.interface.encodeFunctionData("link", [parent, [child]]);
      await expect(
        author.sendTransaction({ to: registry.target, data, value: 1n }),
      ).to.be.revertedWithoutReason(ethers);
      expect(await linkRecord(registry, parent, child)).to.deep.equal(NEVER_ADDED);
    });
  });

  describe("when a child cannot be linked", () => {
    describe("when it is the parent itself", () => {
      it("reverts with LinkToSelf", async () => {
        const { registry, parent } = await networkHelpers.loadFixture(registryWithAssets);
        await expectRefusal(
          registry,
          (overrides) => registry.link(parent, [parent], overrides),
          ["LinkToSelf", parent],
          () => linkRecord(registry, parent, parent),
        );
      });
    });

    describe("when it is unknown", () => {
      it("reverts with AssetUnknown, naming the child", async () => {
        const { registry, parent } = await networkHelpers.loadFixture(registryWithAssets);
        await expectRefusal(
          registry,
          (overrides) => registry.link(parent, [UNKNOWN], overrides),
          ["AssetUnknown", UNKNOWN],
          () => linkRecord(registry, parent, UNKNOWN),
        );
      });
    });

    describe("when the link stands", () => {
      it("reverts with LinkStands and keeps the time it was added", async () => {
        const { registry, parent, child } = await networkHelpers.loadFixture(registryWithAssets);
        await registry.link(parent, [child]);
        await expectRefusal(
          registry,
          (overrides) => registry.link(parent, [child], overrides),
          ["LinkStands", parent, child],
          () => linkRecord(registry, parent, child),
        );
      });
    });

    describe("when it is named twice", () => {
      it("reverts with LinkStands and adds neither", async () => {
        const { registry, parent, child } = await networkHelpers.loadFixture(registryWithAssets);
        await expectRefusal(
          registry,
          (overrides) => registry.link(parent, [child, child], overrides),
          ["LinkStands", parent, child],
          () => linkRecord(registry, parent, child),
        );
      });
    });

    describe("when it comes after children that can", () => {
      it("reverts and adds none of them", async () => {
        const { registry, parent, child, second } = await networkHelpers.loadFixture(registryWithAssets);
        await expectRefusal(
          registry,
          (overrides) => registry.link(parent, [child, second, UNKNOWN], overrides),
          ["AssetUnknown", UNKNOWN],
          async () => [await linkRecord(registry, parent, child), await linkRecord(registry, parent, second)],
        );
      });
    });
  });

  describe("given the link was never added", () => {
    it("stores the block's time for each child", async () => {
      const { registry, parent, child, second } = await networkHelpers.loadFixture(registryWithAssets);
      const time = (await networkHelpers.time.latest()) + 1000;
      await networkHelpers.time.setNextBlockTimestamp(time);

      await registry.link(parent, [child, second]);

      for (const id of [child, second]) {
        const expected = { addedOn: BigInt(time), revokedOn: 0n };
        expect(await linkRecord(registry, parent, id)).to.deep.equal(expected);
      }
    });

    it("emits LinkAdded for each child in the given order, and nothing else", async () => {
      const { registry, parent, child, second } = await networkHelpers.loadFixture(registryWithAssets);

      const receipt = await mined(registry.link(parent, [second, child]));

      expect(eventsOf(registry, receipt)).to.deep.equal([
        ["LinkAdded", parent, second],
        ["LinkAdded", parent, child],
      ]);
    });

    it("adds a link to somebody else's asset", async () => {
      const { registry, parent, foreign } = await networkHelpers.loadFixture(registryWithAssets);
      const receipt = await mined(registry.link(parent, [foreign]));
      expect(eventsOf(registry, receipt)).to.deep.equal([["LinkAdded", parent, foreign]]);
    });

    it("adds nothing in the opposite direction", async () => {
      const { registry, parent, child } = await networkHelpers.loadFixture(registryWithAssets);
      await registry.link(parent, [child]);
      expect(await linkRecord(registry, child, parent)).to.deep.equal(NEVER_ADDED);
    });
  });

  describe("given the link was revoked", () => {
    it("stores the new time and no revocation", async () => {
      const { registry, parent, child } = await networkHelpers.loadFixture(registryWithAssets);
      await registry.link(parent, [child]);
      await registry.revokeLinks(parent, [child]);
      const time = (await networkHelpers.time.latest()) + 1000;
      await networkHelpers.time.setNextBlockTimestamp(time);

      const receipt = await mined(registry.link(parent, [child]));

      expect(await linkRecord(registry, parent, child)).to.deep.equal({
        addedOn: BigInt(time),
        revokedOn: 0n,
      });
      expect(eventsOf(registry, receipt)).to.deep.equal([["LinkAdded", parent, child]]);
    });
  });

  describe("given the child points to the parent", () => {
    it("closes the circle", async () => {
      const { registry, author, parent, child } = await networkHelpers.loadFixture(registryWithAssets);
      const third = await createAsset(registry, author.address, "Third");
      await registry.link(child, [parent]);
      await registry.link(child, [third]);
      await registry.link(third, [parent]);

      const receipt = await mined(registry.link(parent, [child, third]));

      expect(eventsOf(registry, receipt)).to.deep.equal([
        ["LinkAdded", parent, child],
        ["LinkAdded", parent, third],
      ]);
      for (const [from, to] of [
        [child, parent],
        [parent, child],
        [third, parent],
      ] as const) {
        expect((await linkRecord(registry, from, to)).revokedOn).to.equal(0n);
        expect((await linkRecord(registry, from, to)).addedOn).to.be.greaterThan(0n);
      }
    });
  });
});
