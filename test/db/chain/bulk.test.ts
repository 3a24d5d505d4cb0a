import { expect } from "chai";
import fc from "fast-check";
import { type Hex, keccak256, padHex, toHex } from "viem";
import { insertBlocks } from "../../../db/chain/blocks.ts";
import { applyLinkChanges, type LinkEvent, LinkOutOfTurnError } from "../../../db/chain/links.ts";
import { inTransaction, openPool, type Pool } from "../../../db/core/pool.ts";
import { mapDetails } from "../../../domain/asset/asset.ts";
import { assetIdOf, hashAsset } from "../../support/asset-id.ts";
import { owner } from "../../support/chain/accounts.ts";
import { findAsset } from "../../support/database/find-asset.ts";
import { insertAssets } from "../../support/database/insert-assets.ts";
import { createDatabase, type TestDatabase } from "../../support/database/postgres.ts";
import { bytesOf } from "../rows.ts";

describe("bulk inserts", () => {
  let database: TestDatabase;
  let pool: Pool;
  const blocks = 40;

  before(async () => {
    database = await createDatabase();
    pool = openPool(database.url, { application: "test" });
  });
  after(async () => {
    await pool.end();
    await database.drop();
  });
  beforeEach(async () => {
    await pool.query("truncate chain.blocks cascade");
    await inTransaction(pool, (tx) =>
      insertBlocks(
        tx,
        Array.from({ length: blocks }, (_, number) => ({
          number,
          hash: keccak256(toHex(number)),
          parentHash: keccak256(toHex(number + 1)),
          timestamp: number,
        })),
      ),
    );
  });

  describe("of links", () => {
    const idOf = (index: number) => padHex(toHex(index + 1), { size: 32 });

    /** Turns pairs into events: each mention of a pair adds its link or revokes it, whichever is its turn. */
    function eventsOf(pairs: readonly [number, number][]): LinkEvent[] {
      const standing = new Set<string>();
      return pairs.map(([parent, child], index) => {
        const stands = standing.delete(`${parent} ${child}`);
        if (!stands) standing.add(`${parent} ${child}`);
        const place = { blockNumber: index % blocks, transactionIndex: index, logIndex: index };
        return {
          kind: stands ? "revoked" : "added",
          parent: idOf(parent),
          child: idOf(child),
          position: { ...place, transactionHash: keccak256(toHex(index)) },
        };
      });
    }

    async function rowsAfter(batches: readonly LinkEvent[][]) {
      await pool.query("truncate chain.links");
      for (const batch of batches) await inTransaction(pool, (tx) => applyLinkChanges(tx, batch));
      return (await pool.query("select * from chain.links order by parent, child, nth")).rows;
    }

    it("give the same rows however the events are split into batches", async () => {
      const pair = fc.tuple(fc.nat(2), fc.nat(2));
      await fc.assert(
        fc.asyncProperty(
          fc.array(pair, { maxLength: 30 }),
          fc.array(fc.integer({ min: 1, max: 30 }), { maxLength: 5 }),
          async (pairs, cuts) => {
            const events = eventsOf(pairs);
            const edges = [
              0,
              ...cuts.filter((cut) => cut < events.length).sort((a, b) => a - b),
              events.length,
            ];
            const batches = edges.slice(1).map((edge, index) => events.slice(edges[index], edge));
            const oneByOne = await rowsAfter(events.map((event) => [event]));
            expect(await rowsAfter(batches)).to.deep.equal(oneByOne);
            expect(oneByOne.length).to.equal(events.filter(({ kind }) => kind === "added").length);
          },
        ),
        { numRuns: 40 },
      );
    });

    it("refuse an event whose turn it is not, and write nothing of its batch", async () => {
      const [added, revoked] = eventsOf([
        [0, 1],
        [0, 1],
      ]) as [LinkEvent, LinkEvent];
      const refused = [[revoked], [added, added], [added, revoked, revoked]];
      for (const batch of refused) {
        const error = await rowsAfter([batch]).catch((thrown: unknown) => thrown);
        expect(error).to.be.instanceOf(LinkOutOfTurnError);
        expect((await pool.query("select from chain.links")).rowCount).to.equal(0);
      }
    });
  });

  describe("of assets", () => {
    const registry = { chainId: 31_337, address: owner.address };
    const utf8 = (text: string) => new TextEncoder().encode(text);

    async function store(texts: { name: Uint8Array; data: Uint8Array }, salt: Hex) {
      const details = mapDetails((field) => (field === "name" || field === "data" ? texts[field] : utf8("")));
      const contentHash = hashAsset(owner.address, salt, details);
      const id = assetIdOf(registry, contentHash);
      const position = {
        blockNumber: 7,
        transactionIndex: 2 ** 40,
        logIndex: 2 ** 53 - 1,
        transactionHash: keccak256(salt),
      };
      await inTransaction(pool, (tx) =>
        insertAssets(tx, [{ id, author: owner.address, salt, details, contentHash, position }]),
      );
      const found = await findAsset(pool, id);
      expect(found).to.deep.include({ id, author: owner.address, salt, contentHash, position });
      expect(mapDetails((field) => toHex(bytesOf(found)[field]))).to.deep.equal(
        mapDetails((field) => toHex(details[field])),
      );
      return found?.details;
    }

    const saltOf = (value: unknown) => keccak256(toHex(JSON.stringify(value)));

    for (const text of [
      "a\tb",
      "a\nb\r\nc",
      "a\\b\\",
      "\\N",
      "\\.",
      "\\x41",
      "NULL",
      "",
      '{"a,b"}',
      "𝒳 🗝️ 契約",
    ]) {
      it(`keep ${JSON.stringify(text)} as it is`, async () => {
        const shown = await store({ name: utf8(text), data: utf8(text) }, saltOf(text));
        expect([shown?.name, shown?.data]).to.deep.equal([text, text]);
      });
    }

    it("show NUL as U+2400 and broken UTF-8 as U+FFFD, and keep the bytes", async () => {
      const texts = { name: utf8("a\0🗝"), data: Uint8Array.of(0x61, 0xff, 0xf0, 0x9f) };
      const shown = await store(texts, saltOf("broken"));
      expect([shown?.name, shown?.data]).to.deep.equal(["a\u2400🗝", "a\ufffd\ufffd"]);
    });

    it("keep any bytes", async () => {
      const bytes = fc.uint8Array({ maxLength: 60 });
      await fc.assert(
        fc.asyncProperty(bytes, bytes, fc.uuid(), async (name, data, salt) => {
          await store({ name, data }, saltOf(salt));
        }),
        { numRuns: 60 },
      );
    });
  });
});
