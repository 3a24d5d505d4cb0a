import { expect } from "chai";
import { AbiCoder, concat, ZeroAddress } from "ethers";
import { mapDetails } from "../../domain/asset/asset.ts";
import { registryTextBytes } from "../../domain/limits.ts";
import {
  assetRecord,
  type Details,
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

const SALT = saltOf("salt");

describe("createAsset", () => {
  followsTree("createAsset");

  describe("when the name is empty", () => {
    it("reverts with AssetNameEmpty", async () => {
      const { registry, author } = await networkHelpers.loadFixture(freshRegistry);
      const details = { ...fileRecord, name: "" };
      const id = await registry.assetId(author.address, SALT, details);

      await expectRefusal(
        registry,
        (overrides) => registry.createAsset(SALT, details, overrides),
        ["AssetNameEmpty"],
        () => assetRecord(registry, id),
      );
    });
  });

  describe("when a text has more bytes than the registry takes", () => {
    it("reverts with AssetTextTooLong, saying which text and how long it may be", async () => {
      const { registry, author } = await networkHelpers.loadFixture(freshRegistry);
      const id = await registry.assetId(author.address, SALT, fileRecord);
      for (const { details, refusal } of tooLong) {
        await expectRefusal(
          registry,
          (overrides) => registry.createAsset(SALT, details, overrides),
          refusal,
          () => assetRecord(registry, id),
          GAS_CAP,
        );
      }
    });

    it("counts bytes and not letters", async () => {
      const { registry, author } = await networkHelpers.loadFixture(freshRegistry);
      const id = await registry.assetId(author.address, SALT, fileRecord);
      const name = `x${"📄".repeat(registryTextBytes.name / 4)}`;
      await expectRefusal(
        registry,
        (overrides) => registry.createAsset(SALT, { ...fileRecord, name }, overrides),
        ["AssetTextTooLong", 0, 1_025, 1_024],
        () => assetRecord(registry, id),
      );
    });

    it("reverts also for a contract that makes the text itself, so that no calldata pays for it", async () => {
      const { registry } = await networkHelpers.loadFixture(freshRegistry);
      const author = await ethers.deployContract("LargeTexts");
      const create = (bytes: number) =>
        author.getFunction("createAsset")(registry.target, SALT, bytes, { gasLimit: GAS_CAP });
      await expect(create(registryTextBytes.data + 1))
        .to.be.revertedWithCustomError(registry, "AssetTextTooLong")
        .withArgs(1, registryTextBytes.data + 1, registryTextBytes.data);
      expect((await mined(create(registryTextBytes.data))).logs).to.have.lengthOf(1);
    });
  });

  describe("when ether is sent along", () => {
    it("reverts", async () => {
      const { registry, author } = await networkHelpers.loadFixture(freshRegistry);
      const data = registry.interface.encodeFunctionData("createAsset", [SALT, fileRecord]);

      await expect(
        author.sendTransaction({ to: registry.target, data, value: 1n }),
      ).to.be.revertedWithoutReason(ethers);
      expect(await ethers.provider.getBalance(registry.target)).to.equal(0n);
    });
  });

  describe("given the asset does not exist", () => {
    it("stores the author and the block's time", async () => {
      const { registry, author } = await networkHelpers.loadFixture(freshRegistry);
      const id = await registry.assetId(author.address, SALT, fileRecord);
      expect(await assetRecord(registry, id)).to.deep.equal({
        author: ZeroAddress,
        createdOn: 0n,
        cancelledOn: 0n,
      });
      const time = (await networkHelpers.time.latest()) + 1000;
      await networkHelpers.time.setNextBlockTimestamp(time);

      await registry.createAsset(SALT, fileRecord);

      expect(await assetRecord(registry, id)).to.deep.equal({
        author: author.address,
        createdOn: BigInt(time),
        cancelledOn: 0n,
      });
    });

    it("emits AssetCreated with everything that the id commits to, and nothing else", async () => {
      const { registry, author } = await networkHelpers.loadFixture(freshRegistry);
      const id = await registry.assetId(author.address, SALT, fileRecord);

      const receipt = await mined(registry.createAsset(SALT, fileRecord));

      expect(eventsOf(registry, receipt)).to.deep.equal([
        ["AssetCreated", id, author.address, SALT, Object.values(fileRecord)],
      ]);
    });

    it("returns the id", async () => {
      const { registry, author } = await networkHelpers.loadFixture(freshRegistry);

      expect(await registry.createAsset.staticCall(SALT, fileRecord)).to.equal(
        await registry.assetId(author.address, SALT, fileRecord),
      );
    });

    it("makes the caller the author, whoever deployed the registry", async () => {
      const { registry, stranger } = await networkHelpers.loadFixture(freshRegistry);

      await registry.connect(stranger).createAsset(SALT, fileRecord);

      const id = await registry.assetId(stranger.address, SALT, fileRecord);
      expect((await assetRecord(registry, id)).author).to.equal(stranger.address);
    });

    it("makes a contract the author that somebody calls, and not that somebody", async () => {
      const { registry } = await networkHelpers.loadFixture(freshRegistry);
      const relay = await ethers.deployContract("Relay");
      const call = registry.interface.encodeFunctionData("createAsset", [SALT, fileRecord]);

      const receipt = await mined(relay.getFunction("pass")(registry.target, call));

      const id = await registry.assetId(relay.target, SALT, fileRecord);
      expect(eventsOf(registry, receipt)[0]?.slice(1, 3)).to.deep.equal([id, relay.target]);
      expect((await assetRecord(registry, id)).author).to.equal(relay.target);
    });

    it("needs no text but the name", async () => {
      const { registry } = await networkHelpers.loadFixture(freshRegistry);
      const details = detailsOf({ name: "A" });

      const [event] = eventsOf(registry, await mined(registry.createAsset(SALT, details)));

      expect(event?.[4]).to.deep.equal(["A", "", "", "", "", "", "", ""]);
    });

    it("keeps texts of any length exactly, up to what one transaction may cost", async () => {
      const { registry } = await networkHelpers.loadFixture(freshRegistry);
      const lengths = [0, 31, 32, 33, 1_024, 12_288, 16_384, 65_536];
      const texts = lengths.flatMap((bytes) => ["x".repeat(bytes), "📄".repeat(bytes / 4)]);
      for (const [index, data] of texts.entries()) {
        const receipt = await mined(
          registry.createAsset(saltOf(`${index}`), { ...fileRecord, data }, { gasLimit: GAS_CAP }),
        );
        expect(eventsOf(registry, receipt)[0]?.[4]).to.deep.equal(Object.values({ ...fileRecord, data }));
      }
    });

    it("keeps texts that are all as long as the registry takes", async () => {
      const { registry } = await networkHelpers.loadFixture(freshRegistry);
      const details = mapDetails((field) => "x".repeat(registryTextBytes[field]));
      const receipt = await mined(registry.createAsset(SALT, details, { gasLimit: GAS_CAP }));
      expect(eventsOf(registry, receipt)[0]?.[4]).to.deep.equal(Object.values(details));
    });

    it("creates nothing where the gas ends before the text", async () => {
      const { registry, author } = await networkHelpers.loadFixture(freshRegistry);
      const details = { ...fileRecord, data: "x".repeat(1_024) };
      const id = await registry.assetId(author.address, SALT, details);
      const needed = await registry.createAsset.estimateGas(SALT, details);
      await expect(registry.createAsset(SALT, details, { gasLimit: needed - 5_000n })).to.be.revert(ethers);
      expect((await assetRecord(registry, id)).author).to.equal(ZeroAddress);
    });

    it("keeps structured text exactly", async () => {
      const { registry } = await networkHelpers.loadFixture(freshRegistry);
      const texts = [
        '{"b":1.0,"a":12345678901234567890,"a":2,"k\'/#":"é\\t"}',
        "<a><![CDATA[ <b>&amp;</b> ]]></a>\r\n",
        " ".repeat(10_240),
        "\u0000\u202e\ufeff e\u0301 é",
      ];
      for (const data of texts) {
        const receipt = await mined(registry.createAsset(SALT, { ...fileRecord, data }));
        expect(eventsOf(registry, receipt)[0]?.[4]).to.deep.equal(Object.values({ ...fileRecord, data }));
      }
    });

    it("keeps bytes that are no valid UTF-8 exactly", async () => {
      const { registry, author } = await networkHelpers.loadFixture(freshRegistry);
      const broken = ["0x00", "0xff", "0xc3", "0xeda080", "0xf4908080", "0xc080", "0x80", "0xfefffe"];
      const types = ["bytes32", `tuple(${textFields.map((name) => `bytes ${name}`).join(",")})`];
      const args = AbiCoder.defaultAbiCoder().encode(types, [SALT, broken]);
      const data = concat([registry.interface.getFunction("createAsset").selector, args]);

      const receipt = await mined(author.sendTransaction({ to: registry.target, data }));

      const logged = AbiCoder.defaultAbiCoder().decode(types, receipt.logs[0]?.data ?? "0x");
      expect(logged[1].toArray()).to.deep.equal(broken);
    });
  });

  describe("given the asset exists", () => {
    async function registryWithRecord() {
      const people = await freshRegistry();
      await people.registry.createAsset(SALT, fileRecord);
      return { ...people, id: await people.registry.assetId(people.author.address, SALT, fileRecord) };
    }

    describe("when its author creates it again", () => {
      it("reverts with AssetExists", async () => {
        const { registry, id } = await networkHelpers.loadFixture(registryWithRecord);

        await expectRefusal(
          registry,
          (overrides) => registry.createAsset(SALT, fileRecord, overrides),
          ["AssetExists", id],
          () => assetRecord(registry, id),
        );
      });
    });

    describe("when its author changes the salt", () => {
      it("creates another asset", async () => {
        const { registry, author, id } = await networkHelpers.loadFixture(registryWithRecord);
        await expectAnother(registry, author, saltOf("another salt"), fileRecord, id);
      });
    });

    describe("when its author changes any one text", () => {
      it("creates another asset", async () => {
        const { registry, author, id } = await networkHelpers.loadFixture(registryWithRecord);
        for (const field of textFields) {
          await expectAnother(
            registry,
            author,
            SALT,
            { ...fileRecord, [field]: `${fileRecord[field]} ` },
            id,
          );
        }
      });
    });

    describe("when somebody else creates the same in the same block, and first", () => {
      it("creates two assets, and the author's creation does not fail", async () => {
        const { registry, author, stranger } = await networkHelpers.loadFixture(freshRegistry);
        await networkHelpers.setNextBlockBaseFeePerGas(1_000_000_000n);
        await ethers.provider.send("evm_setAutomine", [false]);
        const gas = { gasLimit: 200_000n, maxFeePerGas: 100_000_000_000n };
        const own = await registry.createAsset(SALT, fileRecord, { ...gas, maxPriorityFeePerGas: 1n });
        const copy = await registry
          .connect(stranger)
          .createAsset(SALT, fileRecord, { ...gas, maxPriorityFeePerGas: 50_000_000_000n });
        await networkHelpers.mine();
        await ethers.provider.send("evm_setAutomine", [true]);

        const [ownReceipt, copyReceipt] = [await own.wait(), await copy.wait()];
        expect(copyReceipt?.blockNumber).to.equal(ownReceipt?.blockNumber);
        expect(copyReceipt?.index).to.be.below(ownReceipt?.index ?? 0);
        for (const creator of [author, stranger]) {
          const id = await registry.assetId(creator.address, SALT, fileRecord);
          expect((await assetRecord(registry, id)).author).to.equal(creator.address);
        }
      });
    });

    describe("when somebody else creates the same", () => {
      it("creates another asset", async () => {
        const { registry, stranger, id } = await networkHelpers.loadFixture(registryWithRecord);
        await expectAnother(registry.connect(stranger), stranger, SALT, fileRecord, id);
      });
    });
  });
});

type World = Awaited<ReturnType<typeof freshRegistry>>;

async function expectAnother(
  registry: World["registry"],
  creator: World["author"],
  salt: string,
  details: Details,
  than: string,
): Promise<void> {
  const untouched = await assetRecord(registry, than);
  const [event] = eventsOf(registry, await mined(registry.createAsset(salt, details)));
  expect(event?.slice(0, 3)).to.deep.equal(["AssetCreated", event?.[1], creator.address]);
  expect(event?.[1]).to.not.equal(than);
  expect(await assetRecord(registry, than)).to.deep.equal(untouched);
}
