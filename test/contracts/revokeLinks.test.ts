import { expect } from "chai";
import {
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

/** `parent` points to `child` and to `foreign`, and not to `second`. */
async function registryWithLinks() {
  const world = await registryWithAssets();
  await world.registry.link(world.parent, [world.child, world.foreign]);
  return world;
}

describe("revokeLinks", () => {
  followsTree("revokeLinks");

  describe("when the parent is unknown", () => {
    it("reverts with AssetUnknown, naming the parent", async () => {
      const { registry, child } = await networkHelpers.loadFixture(registryWithLinks);
      await expectRefusal(
        registry,
        (overrides) => registry.revokeLinks(UNKNOWN, [child], overrides),
        ["AssetUnknown", UNKNOWN],
        () => linkRecord(registry, UNKNOWN, child),
      );
    });
  });

  describe("when the caller is not the parent's author", () => {
    describe("when a stranger calls", () => {
      it("reverts with NotAuthor", async () => {
        const { registry, parent, child, author, stranger } =
          await networkHelpers.loadFixture(registryWithLinks);
        await expectRefusal(
          registry,
          (overrides) => registry.connect(stranger).revokeLinks(parent, [child], overrides),
          ["NotAuthor", parent, author.address, stranger.address],
          () => linkRecord(registry, parent, child),
        );
      });
    });

    describe("when the child's author calls", () => {
      it("reverts with NotAuthor", async () => {
        const { registry, parent, foreign, author, childAuthor } =
          await networkHelpers.loadFixture(registryWithLinks);
        await expectRefusal(
          registry,
          (overrides) => registry.connect(childAuthor).revokeLinks(parent, [foreign], overrides),
          ["NotAuthor", parent, author.address, childAuthor.address],
          () => linkRecord(registry, parent, foreign),
        );
      });
    });

    describe("when the author calls through another contract", () => {
      it("reverts with NotAuthor, naming that contract", async () => {
        const { registry, parent, child, author } = await networkHelpers.loadFixture(registryWithLinks);
        const relay = await ethers.deployContract("Relay");
        const call = registry.interface.encodeFunctionData("revokeLinks", [parent, [child]]);
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
      const { registry, parent, child } = await networkHelpers.loadFixture(registryWithLinks);
      await expectRefusal(
        registry,
        (overrides) => registry.revokeLinks(parent, [], overrides),
        ["NoChildren", parent],
        () => linkRecord(registry, parent, child),
      );
    });
  });

  describe("when ether is sent along", () => {
    it("reverts", async () => {
      const { registry, author, parent, child } = await networkHelpers.loadFixture(registryWithLinks);
      const before = await linkRecord(registry, parent, child);
      const data = registry.interface.encodeFunctionData("revokeLinks", [parent, [child]]);
      await expect(
        author.sendTransaction({ to: registry.target, data, value: 1n }),
      ).to.be.revertedWithoutReason(ethers);
      expect(await linkRecord(registry, parent, child)).to.deep.equal(before);
    });
  });

  describe("when a link does not stand", () => {
    describe("when it was never added", () => {
      it("reverts with LinkDoesNotStand", async () => {
        const { registry, parent, second } = await networkHelpers.loadFixture(registryWithLinks);
        await expectRefusal(
          registry,
          (overrides) => registry.revokeLinks(parent, [second], overrides),
          ["LinkDoesNotStand", parent, second],
          () => linkRecord(registry, parent, second),
        );
      });
    });

    describe("when only the opposite link stands", () => {
      it("reverts with LinkDoesNotStand and leaves the opposite link", async () => {
        const { registry, parent, child } = await networkHelpers.loadFixture(registryWithLinks);
        await expectRefusal(
          registry,
          (overrides) => registry.revokeLinks(child, [parent], overrides),
          ["LinkDoesNotStand", child, parent],
          () => linkRecord(registry, parent, child),
        );
      });
    });

    describe("when the child is unknown", () => {
      it("reverts with LinkDoesNotStand", async () => {
        const { registry, parent } = await networkHelpers.loadFixture(registryWithLinks);
        await expectRefusal(
          registry,
          (overrides) => registry.revokeLinks(parent, [UNKNOWN], overrides),
          ["LinkDoesNotStand", parent, UNKNOWN],
          () => linkRecord(registry, parent, UNKNOWN),
        );
      });
    });

    describe("when the child is the parent itself", () => {
      it("reverts with LinkDoesNotStand", async () => {
        const { registry, parent } = await networkHelpers.loadFixture(registryWithLinks);
        await expectRefusal(
          registry,
          (overrides) => registry.revokeLinks(parent, [parent], overrides),
          ["LinkDoesNotStand", parent, parent],
          () => linkRecord(registry, parent, parent),
        );
      });
    });

    describe("when it is revoked already", () => {
      it("reverts with LinkDoesNotStand and keeps the time it was revoked", async () => {
        const { registry, parent, child } = await networkHelpers.loadFixture(registryWithLinks);
        await registry.revokeLinks(parent, [child]);
        await expectRefusal(
          registry,
          (overrides) => registry.revokeLinks(parent, [child], overrides),
          ["LinkDoesNotStand", parent, child],
          () => linkRecord(registry, parent, child),
        );
      });
    });

    describe("when the child is named twice", () => {
      it("reverts with LinkDoesNotStand and revokes neither", async () => {
        const { registry, parent, child } = await networkHelpers.loadFixture(registryWithLinks);
        await expectRefusal(
          registry,
          (overrides) => registry.revokeLinks(parent, [child, child], overrides),
          ["LinkDoesNotStand", parent, child],
          () => linkRecord(registry, parent, child),
        );
      });
    });

    describe("when it comes after links that stand", () => {
      it("reverts and revokes none of them", async () => {
        const { registry, parent, child, foreign, second } =
          await networkHelpers.loadFixture(registryWithLinks);
        await expectRefusal(
          registry,
          (overrides) => registry.revokeLinks(parent, [child, foreign, second], overrides),
          ["LinkDoesNotStand", parent, second],
          async () => [
            await linkRecord(registry, parent, child),
            await linkRecord(registry, parent, foreign),
          ],
        );
      });
    });
  });

  describe("given the links stand", () => {
    it("stores the block's time beside the time each was added", async () => {
      const { registry, parent, child, foreign } = await networkHelpers.loadFixture(registryWithLinks);
      const { addedOn } = await linkRecord(registry, parent, child);
      const time = (await networkHelpers.time.latest()) + 1000;
      await networkHelpers.time.setNextBlockTimestamp(time);

      await registry.revokeLinks(parent, [child, foreign]);

      for (const id of [child, foreign]) {
        expect(await linkRecord(registry, parent, id)).to.deep.equal({ addedOn, revokedOn: BigInt(time) });
      }
    });

    it("emits LinkRevoked for each child in the given order, and nothing else", async () => {
      const { registry, parent, child, foreign } = await networkHelpers.loadFixture(registryWithLinks);

      const receipt = await mined(registry.revokeLinks(parent, [foreign, child]));

      expect(eventsOf(registry, receipt)).to.deep.equal([
        ["LinkRevoked", parent, foreign],
        ["LinkRevoked", parent, child],
      ]);
    });

    it("leaves every other link", async () => {
      const { registry, parent, child, foreign } = await networkHelpers.loadFixture(registryWithLinks);
      await registry.link(child, [parent]);
      const state = async () => [
        await linkRecord(registry, parent, foreign),
        await linkRecord(registry, child, parent),
      ];
      const before = await state();

      await registry.revokeLinks(parent, [child]);

      expect(await state()).to.deep.equal(before);
    });
  });

  describe("given a link was added again", () => {
    it("revokes it again", async () => {
      const { registry, parent, child } = await networkHelpers.loadFixture(registryWithLinks);
      await registry.revokeLinks(parent, [child]);
      await registry.link(parent, [child]);
      const { addedOn } = await linkRecord(registry, parent, child);

      const receipt = await mined(registry.revokeLinks(parent, [child]));

      const revokedOn = BigInt(await networkHelpers.time.latest());
      expect(await linkRecord(registry, parent, child)).to.deep.equal({ addedOn, revokedOn });
      expect(eventsOf(registry, receipt)).to.deep.equal([["LinkRevoked", parent, child]]);
    });
  });
});
