import { readFileSync } from "node:fs";
import { expect } from "chai";
import {
  createAsset,
  detailsOf,
  fileRecord,
  freshRegistry,
  linkRecord,
  mined,
  networkHelpers,
  registryWithAssets,
  saltOf,
} from "./fixture.ts";
import { changeOf, contentOf, FAR, placeOf, signAddLinks, signCreation, signRevokeLinks } from "./signing.ts";

type Transaction = Parameters<typeof mined>[0];

async function gasOf(sent: Transaction): Promise<number> {
  return Number((await mined(sent)).gasUsed);
}

/** Gas of everything that docs/contracts.md has a figure for, by the words of its table. */
const measured: Record<string, () => Promise<number>> = {
  "deploy the registry": async () => {
    const { registry } = await networkHelpers.loadFixture(freshRegistry);
    const sent = registry.deploymentTransaction();
    if (sent === null) throw new Error("the fixture deploys the registry");
    return gasOf(Promise.resolve(sent));
  },
  "create an asset with a full file record": async () => {
    const { registry } = await networkHelpers.loadFixture(freshRegistry);
    return gasOf(registry.createAsset(saltOf("1"), fileRecord));
  },
  "create an asset with a name alone": async () => {
    const { registry } = await networkHelpers.loadFixture(freshRegistry);
    return gasOf(registry.createAsset(saltOf("1"), detailsOf({ name: "A" })));
  },
  "create 10 such assets in one transaction, each": () => gasPerCreation(10),
  "create 50 such assets in one transaction, each": () => gasPerCreation(50),
  "create such an asset that its author signed": async () => {
    const { registry, author, stranger } = await networkHelpers.loadFixture(freshRegistry);
    const content = contentOf(author.address, saltOf("1"), fileRecord);
    const signature = await signCreation(author, await placeOf(registry), content);
    return gasOf(
      registry.connect(stranger).createAssetFor(author.address, content.salt, fileRecord, FAR, signature),
    );
  },
  "cancel the creation of such an asset": async () => {
    const { registry } = await networkHelpers.loadFixture(freshRegistry);
    return gasOf(registry.cancelCreation(saltOf("1"), fileRecord));
  },
  "add a link": async () => {
    const { registry, parent, child } = await networkHelpers.loadFixture(registryWithAssets);
    return gasOf(registry.link(parent, [child]));
  },
  "revoke a link": async () => {
    const { registry, parent, child } = await networkHelpers.loadFixture(registryWithAssets);
    await registry.link(parent, [child]);
    return gasOf(registry.revokeLinks(parent, [child]));
  },
  "add a revoked link again": async () => {
    const { registry, parent, child } = await networkHelpers.loadFixture(registryWithAssets);
    await registry.link(parent, [child]);
    await registry.revokeLinks(parent, [child]);
    return gasOf(registry.link(parent, [child]));
  },
  "add a link that its author signed": async () => {
    const { registry, author, stranger, parent, child, second } =
      await networkHelpers.loadFixture(registryWithAssets);
    const place = await placeOf(registry);
    const add = async (target: string, nonce: bigint) => {
      const signature = await signAddLinks(author, place, changeOf(parent, [target], nonce));
      return gasOf(registry.connect(stranger).linkFor(parent, [target], nonce, FAR, signature));
    };
    // The first use of a key sets a word that the later ones only count up.
    await add(child, 0n);
    return add(second, 1n);
  },
  "revoke a link that its author signed": async () => {
    const { registry, author, stranger, parent, child } =
      await networkHelpers.loadFixture(registryWithAssets);
    const place = await placeOf(registry);
    await registry.link(parent, [child]);
    await registry.cancelLinkChange(0n);
    const signature = await signRevokeLinks(author, place, changeOf(parent, [child], 1n));
    return gasOf(registry.connect(stranger).revokeLinksFor(parent, [child], 1n, FAR, signature));
  },
  "cancel a signed link change": async () => {
    const { registry } = await networkHelpers.loadFixture(freshRegistry);
    await registry.cancelLinkChange(0n);
    return gasOf(registry.cancelLinkChange(1n));
  },
};

/** Gas of each of `count` creations in one transaction. */
async function gasPerCreation(count: number): Promise<number> {
  const { registry } = await networkHelpers.loadFixture(freshRegistry);
  const calls = Array.from({ length: count }, (_, number) =>
    registry.interface.encodeFunctionData("createAsset", [saltOf(`${number}`), fileRecord]),
  );
  return Math.round((await gasOf(registry.multicall(calls))) / count);
}

/** Rows of the table in docs/contracts.md: what, measured, at most. */
function documented(): { what: string; figure: number; most: number }[] {
  const text = readFileSync(new URL("../../docs/contracts.md", import.meta.url), "utf8");
  const number = (digits = "") => Number(digits.replaceAll(",", ""));
  return [...text.matchAll(/^\| ([a-z0-9 ,]+) \| ([\d,]+) \| ([\d,]+) \|$/gm)].map(
    ([, what = "", figure, most]) => ({
      what,
      figure: number(figure),
      most: number(most),
    }),
  );
}

describe("gas", () => {
  it("is documented for everything that is measured", () => {
    expect(documented().map(({ what }) => what)).to.deep.equal(Object.keys(measured));
  });

  for (const { what, figure, most } of documented()) {
    it(`to ${what} is as documented, and within its budget`, async () => {
      const gas = await measured[what]?.();
      // A zero byte in an id is cheaper to send, so the last digits depend on the registry's address.
      expect(gas).to.be.closeTo(figure, 150);
      expect(gas).to.be.at.most(most);
    });
  }

  describe("given an asset with 300 children", () => {
    async function registryWithChildren() {
      const { registry, author } = await freshRegistry();
      const parent = await createAsset(registry, author.address, "Collection");
      const children: string[] = [];
      for (let number = 1; number <= 300; number++) {
        children.push(await createAsset(registry, author.address, `Document ${number}`));
      }
      return { registry, author, parent, children };
    }

    it("costs the same for the first and the 300th, in both directions", async () => {
      const { registry, parent, children } = await networkHelpers.loadFixture(registryWithChildren);
      const added: number[] = [];
      for (const child of children) added.push(await gasOf(registry.link(parent, [child])));
      const [first, middle, last] = [children[0], children[150], children[299]];
      if (!first || !middle || !last) throw new Error("there are fewer than 300 children");

      const revoked: number[] = [];
      for (const child of [first, middle, last]) {
        revoked.push(await gasOf(registry.revokeLinks(parent, [child])));
      }

      // An id with more zero bytes costs a few units less to send; nothing else may differ.
      expect(spread(added)).to.be.below(200);
      expect(spread(revoked)).to.be.below(200);
      for (const child of [first, middle, last]) {
        const { addedOn, revokedOn } = await linkRecord(registry, parent, child);
        expect(revokedOn).to.be.greaterThan(addedOn);
        await registry.link(parent, [child]);
        expect((await linkRecord(registry, parent, child)).revokedOn).to.equal(0n);
      }
    });

    it("links and revokes all of them in one transaction each, under the cap of EIP-7825", async () => {
      const { registry, parent, children } = await networkHelpers.loadFixture(registryWithChildren);

      expect(await gasOf(registry.link(parent, children))).to.be.at.most(16_777_216);
      for (const child of children) {
        expect((await linkRecord(registry, parent, child)).addedOn).to.be.greaterThan(0n);
      }

      expect(await gasOf(registry.revokeLinks(parent, children))).to.be.at.most(16_777_216);
      for (const child of children) {
        expect((await linkRecord(registry, parent, child)).revokedOn).to.be.greaterThan(0n);
      }
    });
  });
});

function spread(values: number[]): number {
  return Math.max(...values) - Math.min(...values);
}
