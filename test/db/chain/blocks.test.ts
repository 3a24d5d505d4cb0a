import { expect } from "chai";
import type { Hex } from "viem";
import {
  deleteBlocksAbove,
  findBlockHash,
  forgetEmptyBlocks,
  insertBlocks,
  newestBlocks,
} from "../../../db/chain/blocks.ts";
import { insertCancellations } from "../../../db/chain/cancellations.ts";
import { insertNonces } from "../../../db/chain/nonces.ts";
import { insertRevert } from "../../../db/chain/reverts.ts";
import { insertUndecoded } from "../../../db/chain/undecoded.ts";
import type { Transaction } from "../../../db/core/pool.ts";
import { giveUp, markSettled } from "../../../db/service/requests/endings.ts";
import { recordStates } from "../../../db/service/requests/history.ts";
import { storeSigned } from "../../../db/service/transactions/signed.ts";
import { owner, third } from "../../support/chain/accounts.ts";
import { standingLinks } from "../../support/database/standing-links.ts";
import {
  addAsset,
  assetIdFor,
  block,
  chainOf,
  changeLink,
  found,
  position,
  requestCreation,
  requestLinkChange,
  useDatabase,
  wordOf,
} from "../rows.ts";

describe("the blocks of the index", () => {
  const store = useDatabase();
  const numbers = async () =>
    (await store.pool.query<{ number: number }>("select number from chain.blocks order by number")).rows.map(
      ({ number }) => number,
    );
  const [parent, a, b] = ["parent", "a", "b"].map(assetIdFor) as [Hex, Hex, Hex];
  const signed = (word: string, nonce: number) =>
    ({ hash: wordOf(word), raw: "0x02", nonce, description: undefined }) as const;

  describe("when blocks are inserted", () => {
    it("keeps one that is there already, twice in one list too", async () => {
      await store.write((tx) => insertBlocks(tx, [block(1), block(2), block(1)]));
      await store.write((tx) => insertBlocks(tx, [block(2), block(3)]));
      expect(await numbers()).to.deep.equal([1, 2, 3]);
      expect(await findBlockHash(store.pool, 2)).to.equal(block(2).hash);
      expect(await findBlockHash(store.pool, 4)).to.equal(undefined);
    });

    it("refuses another block of the same number, and stores none of the list", async () => {
      await store.write((tx) => insertBlocks(tx, [block(2)]));
      const error = await store
        .write((tx) => insertBlocks(tx, [block(1), block(2, " fork")]))
        .catch((reason: unknown) => reason);
      expect(error).to.include({ code: "23505", constraint: "blocks_pkey" });
      expect(await numbers()).to.deep.equal([2]);
    });

    it("answers the newest up to a number, newest first", async () => {
      await store.write((tx) =>
        insertBlocks(
          tx,
          [1, 2, 5, 9].map((number) => block(number)),
        ),
      );
      expect(await newestBlocks(store.pool, 8, 2)).to.deep.equal([
        { number: 5, hash: block(5).hash },
        { number: 2, hash: block(2).hash },
      ]);
    });

    it("takes numbers beyond 32 bits", async () => {
      const number = 2 ** 31 + 5;
      await store.write(async (tx) => {
        await insertBlocks(tx, [block(number)]);
        await addAsset(tx, "a", position(number, 0xff_ff_ff_e2));
      });
      expect(await newestBlocks(store.pool, Number.MAX_SAFE_INTEGER, 1)).to.deep.equal([
        { number, hash: block(number).hash },
      ]);
    });
  });

  describe("when the blocks above an ancestor are deleted", () => {
    const undo = (ancestor: number) => store.write((tx) => deleteBlocksAbove(tx, ancestor));
    const link = (tx: Transaction, child: Hex, at: number) =>
      changeLink(tx, "added", parent, child, position(at));
    const revoke = (tx: Transaction, child: Hex, at: number) =>
      changeLink(tx, "revoked", parent, child, position(at));
    const links = async () => (await standingLinks(store.pool, parent)).to;

    beforeEach(() => store.write((tx) => chainOf(tx, 9)));

    it("deletes what they brought, and nothing of the ancestor", async () => {
      await store.write(async (tx) => {
        for (const at of [5, 6]) {
          await addAsset(tx, `asset ${at}`, position(at));
          await link(tx, wordOf(`child ${at}`), at);
          await insertRevert(tx, { hash: wordOf(`revert ${at}`), blockNumber: at, reason: "REVERTED" });
          await insertNonces(tx, at, new Map([[owner.address, at]]));
          await insertUndecoded(tx, {
            blockNumber: at,
            logIndex: 9,
            transactionHash: wordOf("u"),
            topics: [],
            data: new Uint8Array(),
            problem: "?",
          });
        }
      });
      await undo(5);
      for (const table of ["assets", "links", "reverts", "nonces", "undecoded_logs"]) {
        const { rows } = await store.pool.query(`select block_number as at from chain.${table}`);
        expect(rows, table).to.deep.equal([{ at: 5 }]);
      }
      expect(await numbers()).to.deep.equal([0, 1, 2, 3, 4, 5]);
    });

    it("restores a link that they revoked", async () => {
      await store.write(async (tx) => {
        await link(tx, a, 4);
        await revoke(tx, a, 6);
      });
      expect(await links()).to.deep.equal([]);
      await undo(5);
      expect(await links()).to.deep.equal([a]);
      await store.write(async (tx) => {
        await insertBlocks(tx, [block(6, " again")]);
        await revoke(tx, a, 6);
      });
      expect(await links()).to.deep.equal([]);
    });

    it("takes back each turn of link, revoke, link in its order", async () => {
      await store.write(async (tx) => {
        await link(tx, a, 2);
        await revoke(tx, a, 4);
        await link(tx, a, 6);
        await revoke(tx, a, 8);
      });
      const seen: number[] = [];
      for (const ancestor of [8, 7, 5, 3, 1]) {
        await undo(ancestor);
        seen.push((await links()).length);
      }
      expect(seen).to.deep.equal([0, 1, 0, 1, 0]);
      const { rows } = await store.pool.query("select from chain.links");
      expect(rows).to.have.lengthOf(0);
    });

    it("restores a link that was revoked in the block after the one that relinked it", async () => {
      await store.write(async (tx) => {
        await link(tx, a, 2);
        await link(tx, b, 2 + 1);
        await revoke(tx, a, 6);
        await link(tx, a, 7);
        await revoke(tx, a, 8);
      });
      await undo(7);
      expect(await links()).to.deep.equal([b, a]);
      await undo(6);
      expect(await links()).to.deep.equal([b]);
    });

    describe("looks again at requests that lose a fact by it", () => {
      /** A settled request for each kind of fact, the fact in block `at`. */
      async function settledBy(at: number): Promise<Record<string, string>> {
        return store.write(async (tx) => {
          await addAsset(tx, "created", position(at));
          await link(tx, a, at - 1);
          await revoke(tx, a, at);
          await link(tx, b, at);
          const ids = {
            created: await requestCreation(tx, "created"),
            linked: await requestLinkChange(tx, parent, { kind: "link", targets: [{ child: b, nth: 1 }] }),
            revoked: await requestLinkChange(tx, parent, { kind: "revoke", targets: [{ child: a, nth: 1 }] }),
            reverted: await requestCreation(tx, "reverted"),
            cancelled: await requestCreation(tx, "cancelled"),
          };
          await storeSigned(tx, ids.reverted, signed("t", 3));
          await insertRevert(tx, { hash: wordOf("t"), blockNumber: at, reason: "REVERTED" });
          await storeSigned(tx, ids.cancelled, signed("u", 4));
          await insertNonces(tx, at, new Map([[owner.address, 5]]));
          await markSettled(tx, Object.values(ids), true);
          return ids;
        });
      }
      const settled = (ids: string[]) =>
        Promise.all(ids.map(async (id) => (await found(store.pool, id)).settled));

      it("unsettles and names each of them", async () => {
        const ids = Object.values(await settledBy(6));
        expect(await undo(5)).to.have.members(ids);
        expect(await settled(ids)).to.deep.equal(ids.map(() => false));
      });

      it("leaves those alone whose facts stay", async () => {
        const ids = Object.values(await settledBy(5));
        await store.write((tx) => insertNonces(tx, 8, new Map([[third.address, 1]])));
        expect(await undo(5)).to.deep.equal([]);
        expect(await settled(ids)).to.deep.equal(ids.map(() => true));
      });

      it("goes back to the end that it had before the chain proved otherwise", async () => {
        const id = await store.write(async (tx) => {
          const one = await requestCreation(tx, "given up");
          await giveUp(tx, one, "REJECTED");
          await addAsset(tx, "given up", position(6));
          await recordStates(tx, [one]);
          return one;
        });
        expect(await settled([id])).to.deep.equal([false]);
        await store.write(async (tx) => recordStates(tx, await deleteBlocksAbove(tx, 5)));
        expect((await found(store.pool, id)).facts).to.include({ effect: undefined, givenUp: "REJECTED" });
        expect(await settled([id])).to.deep.equal([true]);
      });
    });

    it("does nothing at the head", async () => {
      expect(await undo(9)).to.deep.equal([]);
      expect(await numbers()).to.have.lengthOf(10);
    });
  });

  describe("when empty blocks are forgotten", () => {
    beforeEach(() => store.write((tx) => chainOf(tx, 9)));

    const holds: [what: string, write: (tx: Transaction) => Promise<unknown>][] = [
      ["an asset", (tx) => addAsset(tx, "a", position(4))],
      ["a link", (tx) => changeLink(tx, "added", parent, a, position(4))],
      [
        "a revocation",
        async (tx) => {
          await changeLink(tx, "added", parent, a, position(9));
          await changeLink(tx, "revoked", parent, a, position(4));
        },
      ],
      ["a revert", (tx) => insertRevert(tx, { hash: wordOf("t"), blockNumber: 4, reason: "REVERTED" })],
      ["a nonce", (tx) => insertNonces(tx, 4, new Map([[owner.address, 1]]))],
      [
        "a cancellation",
        (tx) =>
          insertCancellations(tx, [{ author: owner.address, subject: wordOf("a"), position: position(4) }]),
      ],
      [
        "a log that could not be read",
        (tx) =>
          insertUndecoded(tx, {
            blockNumber: 4,
            logIndex: 0,
            transactionHash: wordOf("t"),
            topics: [],
            data: new Uint8Array(),
            problem: "?",
          }),
      ],
    ];

    for (const [what, write] of holds) {
      it(`keeps a block on which ${what} hangs`, async () => {
        await store.write(write);
        await store.write((tx) => forgetEmptyBlocks(tx, 0, 8));
        expect(await numbers()).to.deep.equal([4, 8, 9]);
      });
    }

    it("names every table that hangs on a block, so that a new one is not forgotten", async () => {
      const { rows } = await store.pool.query(
        `select conrelid::regclass::text || '.' || attname as one from pg_constraint
         join pg_attribute on attrelid = conrelid and attnum = any(conkey)
         where confrelid = 'chain.blocks'::regclass order by one`,
      );
      expect(rows.map(({ one }) => one)).to.deep.equal([
        "chain.assets.block_number",
        "chain.cancellations.block_number",
        "chain.links.block_number",
        "chain.links.revoked_block",
        "chain.nonces.block_number",
        "chain.reverts.block_number",
        "chain.undecoded_logs.block_number",
      ]);
    });

    it("keeps the blocks that a reorg may still reach", async () => {
      await store.write((tx) => forgetEmptyBlocks(tx, 0, 0));
      await store.write((tx) => forgetEmptyBlocks(tx, -10, -5));
      expect(await numbers()).to.have.lengthOf(10);
    });
  });
});
