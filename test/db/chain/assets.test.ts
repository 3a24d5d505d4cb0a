import { expect } from "chai";
import fc from "fast-check";
import { toHex } from "viem";
import { deleteBlocksAbove } from "../../../db/chain/blocks.ts";
import { assetsOnChain } from "../../../db/reads/chain-asset.ts";
import { type AssetId, detailFields, mapDetails } from "../../../domain/asset/asset.ts";
import { hashAsset } from "../../support/asset-id.ts";
import { owner } from "../../support/chain/accounts.ts";
import { findAsset } from "../../support/database/find-asset.ts";
import { insertAssets } from "../../support/database/insert-assets.ts";
import {
  addAsset,
  asset,
  assetIdFor,
  bytesOf,
  chainOf,
  changeLink,
  position,
  timeOf,
  useDatabase,
  wordOf,
} from "../rows.ts";

describe("the assets of the index", () => {
  const store = useDatabase();
  const utf8 = new TextEncoder();

  beforeEach(() => store.write((tx) => chainOf(tx, 9)));

  const rawOf = async (id: AssetId) => {
    const { rows } = await store.pool.query<{ raw: Buffer | null }>(
      "select raw_details as raw from chain.assets where id = $1",
      [Buffer.from(id.slice(2), "hex")],
    );
    return rows[0]?.raw;
  };

  it("answers an asset word for word, with block time and position", async () => {
    const texts = mapDetails((field) => utf8.encode(`${field} \ufeff é 😀 \u0001`));
    const one = asset("a", position(4, 2), texts);
    await store.write((tx) => insertAssets(tx, [one]));
    const found = await findAsset(store.pool, one.id);
    expect(found).to.deep.include({
      id: one.id,
      author: owner.address,
      salt: wordOf("a"),
      details: mapDetails((field) => `${field} \ufeff é 😀 \u0001`),
      contentHash: hashAsset(owner.address, wordOf("a"), texts),
      position: position(4, 2),
      createdOn: timeOf(4),
      updatedOn: timeOf(4),
    });
    expect(mapDetails((field) => toHex(bytesOf(found)[field]))).to.deep.equal(
      mapDetails((field) => toHex(texts[field])),
    );
  });

  it("is unknown by another id, and after its block is gone", async () => {
    await store.write((tx) => addAsset(tx, "a", position(6)));
    expect(await findAsset(store.pool, assetIdFor("b"))).to.equal(undefined);
    await store.write((tx) => deleteBlocksAbove(tx, 5));
    expect(await findAsset(store.pool, assetIdFor("a"))).to.equal(undefined);
  });

  describe("given texts that a column can hold", () => {
    it("keeps no second copy of the bytes", async () => {
      await store.write((tx) => addAsset(tx, "a", position(1)));
      expect(await rawOf(assetIdFor("a"))).to.equal(null);
    });
  });

  describe("given one text that a column cannot hold", () => {
    for (const [what, bytes, shown] of [
      ["a NUL", "410042", "A\u2400B"],
      ["broken UTF-8", "61ff", "a\ufffd"],
    ] as const) {
      it(`keeps the bytes of all texts beside what it shows for ${what}`, async () => {
        const one = asset("a", position(1), { uri: Buffer.from(bytes, "hex") });
        await store.write((tx) => insertAssets(tx, [one]));
        expect(await rawOf(one.id)).to.be.instanceOf(Buffer);
        const found = await findAsset(store.pool, one.id);
        expect(found?.details).to.include({ name: "a", uri: shown });
        expect(toHex(found?.raw?.uri ?? "")).to.equal(`0x${bytes}`);
        expect(hashAsset(owner.address, one.salt, found?.raw ?? one.details)).to.equal(found?.contentHash);
      });
    }
  });

  it("gives back the bytes of any texts, many in one insert", async () => {
    const anyBytes = fc.oneof(
      fc.uint8Array({ maxLength: 20 }).map((bytes) => Uint8Array.from(bytes)),
      fc.string({ unit: "binary", maxLength: 20 }).map((text) => utf8.encode(text)),
      fc.constantFrom("{a,b}", 'a"b\\', "NULL", "\\N", "'; --", "\t\r\n").map((text) => utf8.encode(text)),
    );
    let round = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(fc.record(mapDetails(() => anyBytes)), { maxLength: 4 }), async (many) => {
        round += 1;
        const assets = many.map((texts, index) =>
          asset(`round ${round}.${index}`, position(1, index), texts),
        );
        await store.write((tx) => insertAssets(tx, assets));
        for (const one of assets) {
          const found = await findAsset(store.pool, one.id);
          for (const field of detailFields) {
            expect(toHex(bytesOf(found)[field])).to.equal(toHex(one.details[field]));
          }
        }
      }),
      { numRuns: 40 },
    );
  });

  it("refuses the same asset twice: the chain cannot have it twice", async () => {
    await store.write((tx) => addAsset(tx, "a", position(1)));
    const error = await store
      .write((tx) => addAsset(tx, "a", position(2)))
      .catch((reason: unknown) => reason);
    expect(error).to.include({ code: "23505", constraint: "assets_pkey" });
  });

  it("refuses an asset of a block that is not there", async () => {
    const error = await store
      .write((tx) => addAsset(tx, "a", position(77)))
      .catch((reason: unknown) => reason);
    expect(error).to.include({ code: "23503" });
  });

  describe("the time of the last change", () => {
    const updatedOn = async () => (await findAsset(store.pool, assetIdFor("a")))?.updatedOn;

    it("is that of the last change to the outgoing links", async () => {
      await store.write((tx) => addAsset(tx, "a", position(1)));
      await store.write((tx) => changeLink(tx, "added", assetIdFor("a"), wordOf("x"), position(3)));
      await store.write((tx) => changeLink(tx, "added", assetIdFor("a"), wordOf("y"), position(4)));
      expect(await updatedOn()).to.equal(timeOf(4));
      await store.write((tx) => changeLink(tx, "revoked", assetIdFor("a"), wordOf("x"), position(6)));
      expect(await updatedOn()).to.equal(timeOf(6));
      await store.write((tx) => deleteBlocksAbove(tx, 5));
      expect(await updatedOn()).to.equal(timeOf(4));
    });

    it("is not that of a link from elsewhere", async () => {
      await store.write((tx) => addAsset(tx, "a", position(1)));
      await store.write((tx) => changeLink(tx, "added", wordOf("x"), assetIdFor("a"), position(3)));
      expect(await updatedOn()).to.equal(timeOf(1));
    });
  });

  it("tells which of some ids are on the chain", async () => {
    await store.write((tx) => addAsset(tx, "a", position(1)));
    const ids = [assetIdFor("b"), assetIdFor("a"), assetIdFor("a")];
    expect(await assetsOnChain(store.pool, ids)).to.deep.equal(new Set([assetIdFor("a")]));
    expect(await assetsOnChain(store.pool, [])).to.deep.equal(new Set());
  });
});
