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

type Transaction = Parameters<typeof mined>[0];

async function gasOf(sent: Transaction): Promise<number> {
  return Number((await mined(sent)).gasUsed);
}

/** The budgets of the product's design, and the figures of docs/contracts.md. */
describe("gas", () => {
  it("creates an asset with a full file record for at most 73,000", async () => {
    const { registry } = await networkHelpers.loadFixture(freshRegistry);
    expect(await gasOf(registry.createAsset(saltOf("1"), fileRecord))).to.be.at.most(73_000);
  });

  it("creates an asset with a name alone for at most 61,000", async () => {
    const { registry } = await networkHelpers.loadFixture(freshRegistry);
    expect(await gasOf(registry.createAsset(saltOf("1"), detailsOf({ name: "A" })))).to.be.at.most(61_000);
  });

  it("adds a link for at most 52,000, revokes it and adds it again for at most 35,000 each", async () => {
    const { registry, parent, child } = await networkHelpers.loadFixture(registryWithAssets);
    expect(await gasOf(registry.link(parent, [child]))).to.be.at.most(52_000);
    expect(await gasOf(registry.revokeLinks(parent, [child]))).to.be.at.most(35_000);
    expect(await gasOf(registry.link(parent, [child]))).to.be.at.most(35_000);
  });

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
