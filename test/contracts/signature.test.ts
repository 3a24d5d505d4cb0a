import { expect } from "chai";
import { concat, dataSlice, ZeroAddress } from "ethers";
import { account, answerFromNowOn, delegated, delegatedTo, type Keyed, owners, wallet } from "./authors.ts";
import {
  ethers,
  expectRefusal,
  fileRecord,
  followsTree,
  freshRegistry,
  mined,
  networkHelpers,
  saltOf,
} from "./fixture.ts";
import { type Operation, operations } from "./operations.ts";
import {
  compact,
  contentOf,
  digestOf,
  FAR,
  malleated,
  placeOf,
  sign,
  signCreation,
  type TypedDataSigner,
  zeroBasedV,
} from "./signing.ts";

type Registry = Awaited<ReturnType<typeof freshRegistry>>["registry"];

/** Everything about a signature that holds alike for each operation which can be signed. */
describe("signature", () => {
  followsTree("signature");

  describe("given the author is an account", () => {
    it("counts whoever hands it in, and once", async () => {
      await forEachOperation(account, async ({ registry, signer, operation }) => {
        const signature = await sign(signer, operation.typedData(await placeOf(registry)));
        const before = await operation.state();

        await mined(operation.send(signature));

        expect(await operation.state()).to.not.deep.equal(before);
        await expectRefusal(
          registry,
          (overrides) => operation.send(signature, overrides),
          operation.spent,
          operation.state,
        );
      });
    });

    it("counts in the last second of its deadline, and not in the next", async () => {
      await forEachOperation(account, async ({ registry, signer, operation }) => {
        const deadline = BigInt(await networkHelpers.time.latest()) + 100n;
        const signature = await sign(signer, operation.typedData(await placeOf(registry), deadline));
        const snapshot = await networkHelpers.takeSnapshot();

        await networkHelpers.time.setNextBlockTimestamp(deadline + 1n);
        await expectRefusal(
          registry,
          (overrides) => operation.send(signature, overrides, deadline),
          ["DeadlineExpired", deadline, deadline + 1n],
          operation.state,
        );

        await snapshot.restore();
        await networkHelpers.time.setNextBlockTimestamp(deadline);
        await mined(operation.send(signature, {}, deadline));
      });
    });

    it("is refused with another deadline than was signed", async () => {
      await forEachOperation(account, async ({ registry, signer, operation }) => {
        const place = await placeOf(registry);
        const signature = await sign(signer, operation.typedData(place));
        await expectRefusal(
          registry,
          (overrides) => operation.send(signature, overrides, FAR + 1n),
          ["SignatureInvalid", signer.address, digestOf(operation.typedData(place, FAR + 1n))],
          operation.state,
        );
      });
    });

    it("is refused when somebody else made it", async () => {
      const [, other] = await ethers.getSigners();
      await forEachOperation(account, async (world) => {
        if (!other) throw new Error("the chain has too few accounts");
        await expectInvalid(world, await signed(world, other));
      });
    });

    it("is refused when it was made for another chain", async () => {
      await forEachOperation(account, async (world) => {
        const place = { ...(await placeOf(world.registry)), chainId: 1 };
        await expectInvalid(world, await sign(world.signer, world.operation.typedData(place)));
      });
    });

    it("is refused when it was made for a look-alike registry", async () => {
      await forEachOperation(account, async (world) => {
        const lookAlike = await ethers.deployContract("AssetRegistry");
        const place = await placeOf(lookAlike);
        await expectInvalid(world, await sign(world.signer, world.operation.typedData(place)));
      });
    });

    it("is refused when it was made for another name or version", async () => {
      await forEachOperation(account, async (world) => {
        const typedData = world.operation.typedData(await placeOf(world.registry));
        for (const change of [{ version: "2" }, { name: "Asset registry" }]) {
          const domain = { ...typedData.domain, ...change };
          await expectInvalid(world, await sign(world.signer, { ...typedData, domain }));
        }
      });
    });

    it("is refused in its malleated form, before and after its use", async () => {
      await forEachOperation(account, async (world) => {
        const signature = await signed(world);
        await expectInvalid(world, malleated(signature));
        await mined(world.operation.send(signature));
        for (const other of [malleated(signature), compact(signature)]) {
          await expect(world.operation.send(other, { gasLimit: 1_000_000n })).to.be.revert(ethers);
        }
      });
    });

    it("is refused in its compact form, before its use", async () => {
      await forEachOperation(account, async (world) => {
        await expectInvalid(world, compact(await signed(world)));
      });
    });

    it("is refused with 0 or 1 as its last byte", async () => {
      await forEachOperation(account, async (world) => {
        await expectInvalid(world, zeroBasedV(await signed(world)));
      });
    });

    it("is refused in any other length, and as zeros", async () => {
      await forEachOperation(account, async (world) => {
        const signature = await signed(world);
        const broken = ["0x", dataSlice(signature, 0, 64), concat([signature, "0x00"]), ZEROS];
        for (const each of broken) await expectInvalid(world, each);
      });
    });
  });

  describe("given the author's account delegates to code (EIP-7702)", () => {
    it("counts when the key made it, though the code refuses", async () => {
      await forEachOperation(delegated("Reverts"), async (world) => {
        await mined(world.operation.send(await signed(world)));
      });
    });

    it("counts when the key made it, though the code has no such function", async () => {
      await forEachOperation(delegatedTo("Relay"), async (world) => {
        await mined(world.operation.send(await signed(world)));
      });
    });

    it("counts when the code accepts it", async () => {
      await forEachOperation(delegated("Honest"), async (world) => {
        await mined(world.operation.send(await signedByBoth(world)));
      });
    });

    it("is refused when neither accepts it", async () => {
      const [, other] = await ethers.getSigners();
      await forEachOperation(delegated("Honest"), async (world) => {
        if (!other) throw new Error("the chain has too few accounts");
        await expectInvalid(world, await signed(world, other));
      });
    });

    it("is not needed for the account's own calls", async () => {
      const { registry, author } = await networkHelpers.loadFixture(freshRegistry);
      const signer = await delegated("Reverts")();
      const id = await registry.assetId(signer.address, saltOf("own"), fileRecord);
      await signer.act({
        to: registry.target as string,
        data: registry.interface.encodeFunctionData("createAsset", [saltOf("own"), fileRecord]),
      });
      expect((await registry.assetOf(id)).author).to.equal(signer.address);
      expect(signer.address).to.not.equal(author.address);
    });
  });

  describe("given the author is a contract wallet", () => {
    it("counts when the wallet accepts it, whatever its length", async () => {
      await forEachOperation(wallet("Honest"), async (world) => {
        const signature = await signedByBoth(world);
        expect(ethers.dataLength(signature)).to.equal(130);
        await mined(world.operation.send(signature));
      });
    });

    it("is refused when it is not by the wallet's owners", async () => {
      await forEachOperation(wallet("Honest"), async (world) => {
        await expectInvalid(world, await signed(world));
        await expectInvalid(world, "0x");
      });
    });

    // A megabyte costs the wallet 2.2 million gas; it must be the answer that is refused, not its price.
    for (const [words, answer, gasLimit] of [
      ["answers with another value", "WrongMagic"],
      ["answers with the right value and a dirty tail", "DirtyMagic"],
      ["answers with four bytes", "FourBytes"],
      ["answers with nothing", "Nothing"],
      ["reverts", "Reverts"],
      ["never ends", "Loops"],
      ["answers with a megabyte of anything", "MegabyteOfJunk", 5_000_000n],
      ["changes state before it answers", "ChangesState"],
    ] as const) {
      it(`is refused when the wallet ${words}`, async () => {
        await forEachOperation(wallet(answer), async (world) => {
          await expectInvalid(world, await signedByBoth(world), gasLimit);
        });
      });
    }

    it("counts by the first word of the answer, of which nothing else is read", async () => {
      await forEachOperation(wallet("MegabyteAfterMagic"), async (world) => {
        await mined(world.operation.send("0x", { gasLimit: 10_000_000n }));
      });
    });

    it("is refused when the wallet accepts it no more", async () => {
      await forEachOperation(wallet("Honest"), async (world) => {
        const signature = await signedByBoth(world);
        await answerFromNowOn(world.signer.address, "WrongMagic");
        await expectInvalid(world, signature);
      });
    });
  });

  describe("given the author is no one", () => {
    it("is refused for the zero address, whatever it is", async () => {
      const { registry } = await networkHelpers.loadFixture(freshRegistry);
      const content = contentOf(ZeroAddress, saltOf("signed"), fileRecord);
      const id = await registry.assetId(ZeroAddress, content.salt, fileRecord);
      const [signer] = await ethers.getSigners();
      if (!signer) throw new Error("the chain has no accounts");
      const any = await signCreation(signer, await placeOf(registry), content);
      for (const signature of ["0x", ZEROS, any, concat([any, any])]) {
        await expectRefusal(
          registry,
          (overrides) =>
            registry.createAssetFor(ZeroAddress, content.salt, fileRecord, FAR, signature, overrides),
          ["SignatureInvalid", ZeroAddress, (value: string) => /^0x[0-9a-f]{64}$/.test(value)],
          async () => (await registry.assetOf(id)).author,
        );
      }
    });

    it("is refused for every address with a built-in function, whatever it is", async () => {
      const { registry } = await networkHelpers.loadFixture(freshRegistry);
      for (let number = 1; number <= 17; number++) {
        const author = `0x${number.toString(16).padStart(40, "0")}`;
        for (const signature of ["0x", ZEROS, concat([ZEROS, ZEROS])]) {
          const call = registry.createAssetFor(author, saltOf("signed"), fileRecord, FAR, signature, {
            gasLimit: 1_000_000n,
          });
          await expect(call).to.be.revertedWithCustomError(registry, "SignatureInvalid");
        }
      }
    });
  });
});

const ZEROS = `0x${"00".repeat(65)}`;

type World = { registry: Registry; signer: Keyed; operation: Operation };

/** Runs a test once for each operation, each time on a fresh registry with another author. */
async function forEachOperation(
  makeAuthor: () => Promise<Keyed>,
  test: (world: World) => Promise<void>,
): Promise<void> {
  for (const [name, prepare] of Object.entries(operations)) {
    const { registry, stranger } = await networkHelpers.loadFixture(freshRegistry);
    const signer = await makeAuthor();
    try {
      await test({ registry, signer, operation: await prepare(registry.connect(stranger), signer) });
    } catch (error) {
      if (error instanceof Error) error.message = `${name}: ${error.message}`;
      throw error;
    }
  }
}

async function expectInvalid(
  { registry, signer, operation }: World,
  signature: string,
  gasLimit?: bigint,
): Promise<void> {
  const digest = digestOf(operation.typedData(await placeOf(registry)));
  await expectRefusal(
    registry,
    (overrides) => operation.send(signature, gasLimit === undefined ? overrides : { gasLimit }),
    ["SignatureInvalid", signer.address, digest],
    operation.state,
  );
}

/** The signature that the operation asks for, of its author or of somebody else. */
async function signed({ registry, signer, operation }: World, by: TypedDataSigner = signer): Promise<string> {
  return sign(by, operation.typedData(await placeOf(registry)));
}

/** What a wallet with two owners wants. */
async function signedByBoth(world: World): Promise<string> {
  const [first, second] = await owners();
  return concat([await signed(world, first), await signed(world, second)]);
}
