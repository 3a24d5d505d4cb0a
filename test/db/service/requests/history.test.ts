import { expect } from "chai";
import type { Hash } from "viem";
import { deleteBlocksAbove } from "../../../../db/chain/blocks.ts";
import { insertNonces } from "../../../../db/chain/nonces.ts";
import { insertRevert } from "../../../../db/chain/reverts.ts";
import type { Transaction } from "../../../../db/core/pool.ts";
import { giveUp, storeRefusal } from "../../../../db/service/requests/endings.ts";
import { recordStates } from "../../../../db/service/requests/history.ts";
import { lockRequest } from "../../../../db/service/requests/locks.ts";
import { tieTransactions } from "../../../../db/service/transactions/mined.ts";
import { recordAccepted } from "../../../../db/service/transactions/seen.ts";
import { storeSigned } from "../../../../db/service/transactions/signed.ts";
import type { AssetState } from "../../../../domain/request/state.ts";
import { owner } from "../../../support/chain/accounts.ts";
import { historyOf } from "../../../support/database/history.ts";
import {
  addAsset,
  chainOf,
  finalUpTo,
  found,
  position,
  requestCreation,
  useDatabase,
  wordOf,
} from "../../rows.ts";

const signed = { hash: wordOf("t"), raw: "0x02", nonce: 7, description: undefined } as const;

describe("the history of a request", () => {
  const store = useDatabase();
  let id: string;

  beforeEach(async () => {
    id = await store.write(async (tx) => {
      await chainOf(tx, 9);
      return requestCreation(tx, "a");
    });
  });

  const note = () => store.write((tx) => recordStates(tx, [id]));
  const states = async () => (await historyOf(store.pool, id)).map(({ state }) => state);
  const settled = async () => (await found(store.pool, id)).settled;
  const accept = () =>
    store.write((tx) =>
      recordAccepted(tx, { hash: wordOf("t"), requestId: id, nonce: 7, nextAttemptSeconds: 5 }),
    );
  const create = (at = 6) => store.write((tx) => addAsset(tx, "a", position(at)));

  describe("when states are noted", () => {
    it("begins with Received, once however often it is noted", async () => {
      for (let times = 0; times < 3; times += 1) await note();
      expect(await historyOf(store.pool, id)).to.have.lengthOf(1);
      expect((await historyOf(store.pool, id))[0]).to.include({
        state: "Received",
        reason: undefined,
        transactionHash: undefined,
        blockNumber: undefined,
      });
    });

    it("adds each new state with its transaction and block, in order", async () => {
      await note();
      await store.write((tx) => storeSigned(tx, id, signed));
      await note();
      await accept();
      await note();
      await create();
      await note();
      await store.write((tx) => finalUpTo(tx, 6));
      await note();
      const history = await historyOf(store.pool, id);
      expect(
        history.map(({ state, transactionHash, blockNumber }) => [state, transactionHash, blockNumber]),
      ).to.deep.equal([
        ["Received", undefined, undefined],
        ["TxSignatureSubmitted", wordOf("t"), undefined],
        ["Submitted", wordOf("t"), undefined],
        ["Committed", position(6).transactionHash, 6],
        ["Confirmed", position(6).transactionHash, 6],
      ]);
      const times = history.map(({ at }) => at.getTime());
      expect(times).to.deep.equal(times.toSorted((a, b) => a - b));
    });

    it("adds a state again after a reorg took it back", async () => {
      await accept();
      await create();
      await note();
      await store.write(async (tx) => {
        await recordStates(tx, await deleteBlocksAbove(tx, 5));
      });
      await store.write(async (tx) => {
        await tx.query("insert into chain.blocks values (6, $1, $2, 1)", [
          Buffer.alloc(32, 6),
          Buffer.alloc(32, 5),
        ]);
        await addAsset(tx, "a", position(6));
      });
      await note();
      expect(await states()).to.deep.equal(["Received", "Committed", "Submitted", "Committed"]);
    });

    it("adds an entry when only the reason changes", async () => {
      await store.write((tx) => insertNonces(tx, 6, new Map([[owner.address, 8]])));
      await store.write((tx) => storeSigned(tx, id, signed));
      await note();
      await store.write((tx) => storeRefusal(tx, id, "0xaa"));
      await note();
      const history = await historyOf(store.pool, id);
      expect(history.map(({ state, reason }) => [state, reason])).to.deep.equal([
        ["Received", undefined],
        ["RevokedByUser", "NONCE_USED"],
        ["RevokedByUser", "REFUSED"],
      ]);
    });

    it("does nothing for no request, and skips one that is gone", async () => {
      await store.write((tx) => recordStates(tx, []));
      await store.write((tx) => recordStates(tx, ["00000000-0000-4000-8000-000000000000"]));
      expect(await states()).to.deep.equal(["Received"]);
    });
  });

  describe("when several note at once", () => {
    async function givenUp(tx: Transaction, word: string): Promise<string> {
      const one = await requestCreation(tx, word);
      await giveUp(tx, one, "REJECTED");
      return one;
    }

    it("has each change once, in 30 rounds of four", async () => {
      const ids: string[] = [];
      for (let round = 0; round < 30; round += 1) {
        const one = await store.write((tx) => givenUp(tx, `round ${round}`));
        ids.push(one);
        await Promise.all(Array.from({ length: 4 }, () => store.write((tx) => recordStates(tx, [one]))));
      }
      for (const one of ids) expect(await historyOf(store.pool, one)).to.have.lengthOf(2);
    });

    it("has each change once, however the lists are ordered", async () => {
      const ids = await store.write(async (tx) => {
        const made: string[] = [];
        for (let index = 0; index < 20; index += 1) made.push(await givenUp(tx, `many ${index}`));
        return made;
      });
      const lists = [ids, ids.toReversed(), ids.toSorted(), ids.toSorted().toReversed()];
      await Promise.all(lists.map((list) => store.write((tx) => recordStates(tx, list))));
      for (const one of ids) expect(await historyOf(store.pool, one)).to.have.lengthOf(2);
    });

    it("sees what the one before it has stored", async () => {
      await note();
      const sign = store.write(async (tx) => {
        await lockRequest(tx, id);
        await storeSigned(tx, id, signed);
        await tx.query("select pg_sleep(0.1)");
        await recordStates(tx, [id]);
      });
      const refuse = store.write(async (tx) => {
        await lockRequest(tx, id);
        await storeRefusal(tx, id, "0xaa");
        await recordStates(tx, [id]);
      });
      await Promise.all([sign, refuse]);
      const last = (await states()).at(-1);
      expect(last).to.equal("RevokedByUser");
    });

    const late: [what: string, write: (tx: Transaction, hash: Hash) => Promise<unknown>][] = [
      ["a block brings", (tx) => tieTransactions(tx, [id])],
      [
        "the node shows",
        (tx, hash) => recordAccepted(tx, { hash, requestId: id, nonce: 7, nextAttemptSeconds: 5 }),
      ],
    ];

    for (const [what, write] of late) {
      it(`does not lock up when the transaction that is handed in is the one that ${what}`, async () => {
        await create();
        const hash = position(6).transactionHash;
        for (let round = 0; round < 5; round += 1) {
          await store.pool.query("truncate service.transactions");
          const handIn = store.write(async (tx) => {
            await lockRequest(tx, id);
            await tx.query("select pg_sleep(0.04)");
            await storeSigned(tx, id, { ...signed, hash });
            await recordStates(tx, [id]);
          });
          const index = store.write(async (tx) => {
            await tx.query("select pg_sleep(0.02)");
            await write(tx, hash);
            await recordStates(tx, [id]);
          });
          await Promise.all([handIn, index]);
        }
        expect(await states()).to.deep.equal(["Received", "Committed"]);
      });
    }
  });

  describe("when a request has ended", () => {
    const ends: [what: string, end: () => Promise<unknown>, state: AssetState, final: boolean][] = [
      ["confirmed", () => create().then(() => store.write((tx) => finalUpTo(tx, 6))), "Confirmed", true],
      ["committed", () => create(), "Committed", false],
      ["refused", () => store.write((tx) => storeRefusal(tx, id, "0xaa")), "RevokedByUser", true],
      ["given up", () => store.write((tx) => giveUp(tx, id, "REJECTED")), "RevokedByTxServer", true],
      ["reverted in a block that is not final", () => revert(5), "RevokedByBlockchain", false],
      ["reverted in a final block", () => revert(6), "RevokedByBlockchain", true],
      ["cancelled in a block that is not final", () => cancel(5), "RevokedByUser", false],
      ["cancelled in a final block", () => cancel(6), "RevokedByUser", true],
    ];

    const revert = (finalNumber: number) =>
      store.write(async (tx) => {
        await storeSigned(tx, id, signed);
        await insertRevert(tx, { hash: signed.hash, blockNumber: 6, reason: "REVERTED" });
        await finalUpTo(tx, finalNumber);
      });
    const cancel = (finalNumber: number) =>
      store.write(async (tx) => {
        await storeSigned(tx, id, signed);
        await insertNonces(tx, 6, new Map([[owner.address, 8]]));
        await finalUpTo(tx, finalNumber);
      });

    for (const [what, end, state, final] of ends) {
      it(`${final ? "settles" : "does not settle"} it when it is ${what}`, async () => {
        await end();
        await note();
        expect(await states()).to.deep.equal(["Received", state]);
        expect(await settled()).to.equal(final);
      });
    }

    it("settles one that expired", async () => {
      id = await store.write((tx) => requestCreation(tx, "late", -1));
      await note();
      expect(await states()).to.deep.equal(["Received", "RevokedByTxServer"]);
      expect(await settled()).to.equal(true);
    });

    it("unsettles one that was given up when the chain proves otherwise", async () => {
      await store.write((tx) => giveUp(tx, id, "REJECTED"));
      await note();
      await create();
      await note();
      expect(await states()).to.deep.equal(["Received", "RevokedByTxServer", "Committed"]);
      expect(await settled()).to.equal(false);
    });
  });
});
