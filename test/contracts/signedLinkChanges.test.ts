import { expect } from "chai";
import {
  addLinksTypedData,
  type LinkChangeToSign,
  revokeLinksTypedData,
} from "../../domain/asset/typed-data.ts";
import {
  ethers,
  eventsOf,
  expectRefusal,
  followsTree,
  linkRecord,
  mined,
  networkHelpers,
  nonceOf,
  registryWithAssets,
  UNKNOWN,
} from "./fixture.ts";
import { changeOf, digestOf, FAR, placeOf, sign, type TypedDataSigner } from "./signing.ts";

type Registry = Awaited<ReturnType<typeof registryWithAssets>>["registry"];

/** What is different between adding and revoking; all else is the same and tested for both. */
type Kind = {
  name: "linkFor" | "revokeLinksFor";
  direct: "link" | "revokeLinks";
  typedData: typeof addLinksTypedData | typeof revokeLinksTypedData;
  opposite: typeof addLinksTypedData | typeof revokeLinksTypedData;
  event: "LinkAdded" | "LinkRevoked";
  /** Whether the links must stand before. */
  standing: boolean;
  /** The error of a change that is made already. */
  done: "LinkStands" | "LinkDoesNotStand";
  fixture: () => ReturnType<typeof registryWithAssets>;
};

async function withStandingLinks() {
  const world = await registryWithAssets();
  await world.registry.link(world.parent, [world.child, world.second]);
  return world;
}

const kinds: Kind[] = [
  {
    name: "linkFor",
    direct: "link",
    typedData: addLinksTypedData,
    opposite: revokeLinksTypedData,
    event: "LinkAdded",
    standing: false,
    done: "LinkStands",
    fixture: registryWithAssets,
  },
  {
    name: "revokeLinksFor",
    direct: "revokeLinks",
    typedData: revokeLinksTypedData,
    opposite: addLinksTypedData,
    event: "LinkRevoked",
    standing: true,
    done: "LinkDoesNotStand",
    fixture: withStandingLinks,
  },
];

/** What makes a signature good or bad by itself is in signature.test.ts. */
for (const { name, direct, typedData, opposite, event, standing, done, fixture } of kinds) {
  describe(name, () => {
    followsTree(name);

    /** The registry as somebody sees it who hands signatures in. */
    async function world() {
      const loaded = await networkHelpers.loadFixture(fixture);
      const registry = loaded.registry.connect(loaded.stranger);
      const place = await placeOf(registry);
      const signed = (change: LinkChangeToSign, by: TypedDataSigner = loaded.author) =>
        sign(by, typedData(place, change));
      const send = (
        { parent, children, nonce, deadline }: LinkChangeToSign,
        signature: string,
        overrides: { gasLimit?: bigint } = {},
      ) => registry[name](parent, [...children], nonce, deadline, signature, overrides);
      const state = async () => [
        await linkRecord(registry, loaded.parent, loaded.child),
        await linkRecord(registry, loaded.parent, loaded.second),
        await nonceOf(registry, loaded.author.address),
        await nonceOf(registry, loaded.author.address, 7n),
      ];
      const refused = async (change: LinkChangeToSign, signature: string, error: [string, ...unknown[]]) =>
        expectRefusal(registry, (overrides) => send(change, signature, overrides), error, state);
      return { ...loaded, registry, place, signed, send, state, refused };
    }

    describe("when the deadline is over", () => {
      it("reverts with DeadlineExpired", async () => {
        const { parent, child, signed, refused } = await world();
        const deadline = BigInt(await networkHelpers.time.latest());
        const change = changeOf(parent, [child], 0n, deadline);
        const signature = await signed(change);
        await networkHelpers.time.setNextBlockTimestamp(deadline + 1n);
        await refused(change, signature, ["DeadlineExpired", deadline, deadline + 1n]);
      });
    });

    describe("when the parent is unknown", () => {
      it("reverts with AssetUnknown, naming the parent", async () => {
        const { child, signed, refused } = await world();
        const change = changeOf(UNKNOWN, [child], 0n);
        await refused(change, await signed(change), ["AssetUnknown", UNKNOWN]);
      });
    });

    describe("when the nonce is not the next of its key", () => {
      it("reverts with InvalidAccountNonce for one that is used", async () => {
        const { author, parent, child, second, signed, send, refused } = await world();
        const first = changeOf(parent, [child], 0n);
        await send(first, await signed(first));
        const again = changeOf(parent, [second], 0n);
        await refused(again, await signed(again), ["InvalidAccountNonce", author.address, 1n]);
      });

      it("reverts with InvalidAccountNonce for one that is cancelled", async () => {
        const { registry, author, parent, child, signed, refused } = await world();
        const change = changeOf(parent, [child], 0n);
        const signature = await signed(change);
        await registry.connect(author).cancelLinkChange(0n);
        await refused(change, signature, ["InvalidAccountNonce", author.address, 1n]);
      });

      it("reverts with InvalidAccountNonce for one that is too early", async () => {
        const { author, parent, child, signed, refused } = await world();
        const change = changeOf(parent, [child], 1n);
        await refused(change, await signed(change), ["InvalidAccountNonce", author.address, 0n]);
      });

      it("reverts with InvalidAccountNonce within any other key too", async () => {
        const { author, parent, child, signed, refused } = await world();
        const change = changeOf(parent, [child], keyed(7n, 1n));
        await refused(change, await signed(change), ["InvalidAccountNonce", author.address, keyed(7n, 0n)]);
      });
    });

    describe("when the signature is not the author's for this change", () => {
      it("reverts with SignatureInvalid for the child's author", async () => {
        const { author, childAuthor, parent, foreign, place, signed, refused } = await world();
        const change = changeOf(parent, [foreign], 0n);
        await refused(change, await signed(change, childAuthor), invalid(author.address, place, change));
      });

      it("reverts with SignatureInvalid for other, more, fewer or reordered children", async () => {
        const { author, parent, child, second, foreign, place, signed, refused } = await world();
        const signature = await signed(changeOf(parent, [child, second], 0n));
        for (const children of [[child, foreign], [child, second, foreign], [child], [second, child]]) {
          const change = changeOf(parent, children, 0n);
          await refused(change, signature, invalid(author.address, place, change));
        }
      });

      it("reverts with SignatureInvalid for another parent of the same author", async () => {
        const { author, parent, child, second, place, signed, refused } = await world();
        const signature = await signed(changeOf(parent, [child], 0n));
        const change = changeOf(second, [child], 0n);
        await refused(change, signature, invalid(author.address, place, change));
      });

      it("reverts with SignatureInvalid for another nonce", async () => {
        const { author, parent, child, place, signed, refused } = await world();
        const signature = await signed(changeOf(parent, [child], 0n));
        const change = changeOf(parent, [child], keyed(7n, 0n));
        await refused(change, signature, invalid(author.address, place, change));
      });

      it("reverts with SignatureInvalid for what was signed to do the opposite", async () => {
        const { author, parent, child, place, refused } = await world();
        const change = changeOf(parent, [child], 0n);
        const signature = await sign(author, opposite(place, change));
        await refused(change, signature, invalid(author.address, place, change));
      });
    });

    describe("when the change itself is not allowed", () => {
      it("reverts with NoChildren when none is named, and the nonce stays unused", async () => {
        const { parent, signed, refused } = await world();
        const change = changeOf(parent, [], 0n);
        await refused(change, await signed(change), ["NoChildren", parent]);
      });

      it(`reverts with ${done} when a child is named twice`, async () => {
        const { parent, child, signed, refused } = await world();
        const change = changeOf(parent, [child, child], 0n);
        await refused(change, await signed(change), [done, parent, child]);
      });

      it("reverts when a child is unknown", async () => {
        const { parent, child, signed, refused } = await world();
        const change = changeOf(parent, [child, UNKNOWN], 0n);
        const error: [string, ...unknown[]] = standing ? [done, parent, UNKNOWN] : ["AssetUnknown", UNKNOWN];
        await refused(change, await signed(change), error);
      });

      it("reverts when a child is the parent itself", async () => {
        const { parent, signed, refused } = await world();
        const change = changeOf(parent, [parent], 0n);
        const error: [string, ...unknown[]] = standing ? [done, parent, parent] : ["LinkToSelf", parent];
        await refused(change, await signed(change), error);
      });
    });

    describe("when ether is sent along", () => {
      it("reverts", async () => {
        const { registry, stranger, parent, child, signed } = await world();
        const change = changeOf(parent, [child], 0n);
        const data = (
          await registry[name].populateTransaction(parent, [child], 0n, FAR, await signed(change))
        ).data;
        await expect(
          stranger.sendTransaction({ to: registry.target, data, value: 1n }),
        ).to.be.revertedWithoutReason(ethers);
      });
    });

    describe("given all is as it was signed", () => {
      it(`does what ${direct} does when the author calls it`, async () => {
        const { registry, parent, child, second, signed, send } = await world();
        const before = await linkRecord(registry, parent, child);
        const change = changeOf(parent, [child, second], 0n);

        const receipt = await mined(send(change, await signed(change)));

        expect(eventsOf(registry, receipt)).to.deep.equal([
          [event, parent, child],
          [event, parent, second],
        ]);
        const time = BigInt(await networkHelpers.time.latest());
        const after = standing
          ? { addedOn: before.addedOn, revokedOn: time }
          : { addedOn: time, revokedOn: 0n };
        for (const target of [child, second]) {
          expect(await linkRecord(registry, parent, target)).to.deep.equal(after);
        }
      });

      it("uses the nonce of the author, and nobody else's", async () => {
        const { registry, author, stranger, parent, child, signed, send } = await world();
        const change = changeOf(parent, [child], 0n);
        await send(change, await signed(change));
        expect(await nonceOf(registry, author.address)).to.equal(1n);
        expect(await nonceOf(registry, stranger.address)).to.equal(0n);
        expect(await nonceOf(registry, author.address, 7n)).to.equal(keyed(7n, 0n));
      });

      it("takes nonces of different keys in any order, and of one key in turn", async () => {
        const { registry, author, parent, child, second, signed, send } = await world();
        for (const [target, nonce] of [
          [child, keyed(7n, 0n)],
          [second, 0n],
        ] as const) {
          const change = changeOf(parent, [target], nonce);
          await send(change, await signed(change));
        }
        expect(await nonceOf(registry, author.address)).to.equal(1n);
        expect(await nonceOf(registry, author.address, 7n)).to.equal(keyed(7n, 1n));
      });
    });

    function invalid(author: string, place: Parameters<typeof typedData>[0], change: LinkChangeToSign) {
      return ["SignatureInvalid", author, digestOf(typedData(place, change))] satisfies [
        string,
        ...unknown[],
      ];
    }
  });
}

describe("cancelLinkChange", () => {
  followsTree("cancelLinkChange");

  async function world(): Promise<{ registry: Registry; author: string; nonces: () => Promise<bigint[]> }> {
    const { registry, author } = await networkHelpers.loadFixture(registryWithAssets);
    const nonces = () =>
      Promise.all([nonceOf(registry, author.address), nonceOf(registry, author.address, 7n)]);
    return { registry, author: author.address, nonces };
  }

  describe("when the nonce is not the next of its key", () => {
    it("reverts with InvalidAccountNonce for one that is used", async () => {
      const { registry, author, nonces } = await world();
      await registry.cancelLinkChange(0n);
      await expectRefusal(
        registry,
        (overrides) => registry.cancelLinkChange(0n, overrides),
        ["InvalidAccountNonce", author, 1n],
        nonces,
      );
    });

    it("reverts with InvalidAccountNonce for one that is too early", async () => {
      const { registry, author, nonces } = await world();
      await expectRefusal(
        registry,
        (overrides) => registry.cancelLinkChange(keyed(7n, 1n), overrides),
        ["InvalidAccountNonce", author, keyed(7n, 0n)],
        nonces,
      );
    });
  });

  describe("when ether is sent along", () => {
    it("reverts", async () => {
      const { registry, author } = await networkHelpers.loadFixture(registryWithAssets);
      const data = registry.interface.encodeFunctionData("cancelLinkChange", [0n]);
      await expect(
        author.sendTransaction({ to: registry.target, data, value: 1n }),
      ).to.be.revertedWithoutReason(ethers);
    });
  });

  describe("given the nonce is the next of its key", () => {
    it("uses it, of this key and this author alone", async () => {
      const { registry, nonces } = await world();
      await registry.cancelLinkChange(keyed(7n, 0n));
      expect(await nonces()).to.deep.equal([0n, keyed(7n, 1n)]);
      await registry.cancelLinkChange(0n);
      expect(await nonces()).to.deep.equal([1n, keyed(7n, 1n)]);
    });

    it("uses that of a contract that somebody calls, and not that somebody's", async () => {
      const { registry, author, nonces } = await world();
      const relay = await ethers.deployContract("Relay");
      const call = registry.interface.encodeFunctionData("cancelLinkChange", [0n]);
      const receipt = await mined(relay.getFunction("pass")(registry.target, call));
      expect(eventsOf(registry, receipt)).to.deep.equal([["LinkChangeCancelled", relay.target, 0n]]);
      expect(await nonces()).to.deep.equal([0n, keyed(7n, 0n)]);
      expect(author).to.not.equal(relay.target);
    });

    it("emits LinkChangeCancelled, and nothing else", async () => {
      const { registry, author } = await world();
      const receipt = await mined(registry.cancelLinkChange(keyed(7n, 0n)));
      expect(eventsOf(registry, receipt)).to.deep.equal([["LinkChangeCancelled", author, keyed(7n, 0n)]]);
    });
  });
});

function keyed(key: bigint, count: bigint): bigint {
  return (key << 64n) | count;
}
