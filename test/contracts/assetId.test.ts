import { expect } from "chai";
import { TypedDataEncoder, ZeroAddress } from "ethers";
import fc from "fast-check";
import { network } from "hardhat";
import {
  createAsset,
  type Details,
  detailsOf,
  ethers,
  fileRecord,
  followsTree,
  freshRegistry,
  networkHelpers,
  saltOf,
  textFields,
  tooLong,
} from "./fixture.ts";

const SALT = saltOf("salt");
const someone = "0x00000000000000000000000000000000DeaDBeef";

const assetType = {
  Asset: [
    { name: "author", type: "address" },
    { name: "salt", type: "bytes32" },
    ...textFields.map((name) => ({ name, type: "string" })),
  ],
};

const neighbours = textFields.slice(1).map((right, index) => [textFields[index] ?? "name", right] as const);

describe("assetId", () => {
  followsTree("assetId");

  it("is the EIP-712 digest that wallets and libraries compute", async () => {
    const { registry } = await networkHelpers.loadFixture(freshRegistry);
    const domain = {
      name: "Asset Registry",
      version: "1",
      chainId: (await ethers.provider.getNetwork()).chainId,
      verifyingContract: await registry.getAddress(),
    };
    const text = fc.string({ unit: "binary", maxLength: 80 }).filter((value) => value.isWellFormed());
    const texts = fc.record(Object.fromEntries(textFields.map((field) => [field, text])));
    const author = fc.bigInt(0n, 2n ** 160n - 1n).map((value) => ethers.getAddress(hex(value, 20)));
    const salt = fc.bigInt(0n, 2n ** 256n - 1n).map((value) => hex(value, 32));

    await fc.assert(
      fc.asyncProperty(author, salt, texts, async (author, salt, texts) => {
        const details = detailsOf(texts);
        expect(await registry.assetId(author, salt, details)).to.equal(
          TypedDataEncoder.hash(domain, assetType, { author, salt, ...details }),
        );
      }),
      { numRuns: 200 },
    );
  });

  it("is told alike to every caller", async () => {
    const { registry, author, stranger } = await networkHelpers.loadFixture(freshRegistry);
    expect(await registry.connect(stranger).assetId(author.address, SALT, fileRecord)).to.equal(
      await registry.assetId(author.address, SALT, fileRecord),
    );
  });

  it("is the same before and after the asset is created", async () => {
    const { registry, author } = await networkHelpers.loadFixture(freshRegistry);
    const before = await registry.assetId(author.address, SALT, fileRecord);
    await registry.createAsset(SALT, fileRecord);
    expect(await registry.assetId(author.address, SALT, fileRecord)).to.equal(before);
  });

  it("is told for an empty name too, which cannot be created", async () => {
    const { registry } = await networkHelpers.loadFixture(freshRegistry);
    expect(await registry.assetId(ZeroAddress, SALT, detailsOf({}))).to.match(/^0x[0-9a-f]{64}$/);
  });

  describe("when a text has more bytes than the registry takes", () => {
    it("reverts with AssetTextTooLong: nothing can have that id", async () => {
      const { registry } = await networkHelpers.loadFixture(freshRegistry);
      for (const { details, refusal } of tooLong) {
        const [error, ...args] = refusal;
        await expect(registry.assetId(someone, SALT, details))
          .to.be.revertedWithCustomError(registry, error)
          .withArgs(...args);
      }
    });
  });

  describe("when text moves from one field into the next", () => {
    it("differs for every pair of neighbours", async () => {
      const { registry } = await networkHelpers.loadFixture(freshRegistry);
      for (const [left, right] of neighbours) {
        const ids = await splits("abc", left, right, (details) => registry.assetId(someone, SALT, details));
        expect(new Set(ids).size, `${left} and ${right}`).to.equal(4);
      }
    });

    it("differs for any text", async () => {
      const { registry } = await networkHelpers.loadFixture(freshRegistry);
      // A failure prints the seed that repeats it.
      await fc.assert(
        fc.asyncProperty(fc.constantFrom(...neighbours), fc.string({ maxLength: 20 }), async (pair, text) => {
          const ids = await splits(text, ...pair, (details) => registry.assetId(someone, SALT, details));
          expect(new Set(ids).size).to.equal(text.length + 1);
        }),
        { numRuns: 100 },
      );
    });
  });

  describe("when one part differs", () => {
    it("differs for the author, the salt and each text", async () => {
      const { registry, author } = await networkHelpers.loadFixture(freshRegistry);
      const ids = [
        await registry.assetId(author.address, SALT, fileRecord),
        await registry.assetId(someone, SALT, fileRecord),
        await registry.assetId(author.address, saltOf("another salt"), fileRecord),
      ];
      for (const field of textFields) {
        ids.push(await registry.assetId(author.address, SALT, { ...fileRecord, [field]: "other" }));
      }
      expect(new Set(ids).size).to.equal(3 + textFields.length);
    });
  });

  describe("given a look-alike registry at another address", () => {
    it("differs, so an asset of the one is unknown to the other", async () => {
      const { registry, author } = await networkHelpers.loadFixture(freshRegistry);
      const lookAlike = await ethers.deployContract("AssetRegistry");
      const id = await createAsset(registry, author.address, "Contract");
      const other = await createAsset(lookAlike, author.address, "Contract");

      expect(other).to.not.equal(id);
      expect((await lookAlike.assetOf(id)).author).to.equal(ZeroAddress);
      expect((await registry.assetOf(other)).author).to.equal(ZeroAddress);
    });
  });

  describe("given the same registry address on another chain", () => {
    it("differs", async () => {
      const override = { chainId: 31_338 };
      const [here, there] = [await network.create(), await network.create({ override })];
      const registry = await here.ethers.deployContract("AssetRegistry");
      const twin = await there.ethers.deployContract("AssetRegistry");

      expect(twin.target).to.equal(registry.target);
      expect(await twin.assetId(someone, SALT, fileRecord)).to.not.equal(
        await registry.assetId(someone, SALT, fileRecord),
      );
      await here.close();
      await there.close();
    });
  });
});

describe("eip712Domain", () => {
  it("names this registry on this chain", async () => {
    const { registry } = await networkHelpers.loadFixture(freshRegistry);
    const domain = await registry.eip712Domain();
    expect([...domain]).to.deep.equal([
      "0x0f",
      "Asset Registry",
      "1",
      31_337n,
      registry.target,
      `0x${"0".repeat(64)}`,
      [],
    ]);
  });
});

/** The ids of one text cut at every place between two fields. */
function splits(
  text: string,
  left: keyof Details,
  right: keyof Details,
  idOf: (details: Details) => Promise<string>,
): Promise<string[]> {
  const cuts = Array.from({ length: text.length + 1 }, (_, cut) => cut);
  return Promise.all(
    cuts.map((cut) => idOf({ ...detailsOf({}), [left]: text.slice(0, cut), [right]: text.slice(cut) })),
  );
}

function hex(value: bigint, bytes: number): string {
  return `0x${value.toString(16).padStart(bytes * 2, "0")}`;
}
