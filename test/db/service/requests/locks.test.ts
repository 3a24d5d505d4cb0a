import { expect } from "chai";
import type { Hash } from "viem";
import { deleteBlocksAbove } from "../../../../db/chain/blocks.ts";
import type { Transaction } from "../../../../db/core/pool.ts";
import { storeRefusal } from "../../../../db/service/requests/endings.ts";
import { recordStates } from "../../../../db/service/requests/history.ts";
import { lockRequest, lockRequests } from "../../../../db/service/requests/locks.ts";
import { makeDue, tieTransactions } from "../../../../db/service/transactions/mined.ts";
import { recordMissing, recordRejected } from "../../../../db/service/transactions/not-seen.ts";
import { recordAccepted } from "../../../../db/service/transactions/seen.ts";
import { storeSigned } from "../../../../db/service/transactions/signed.ts";
import { eventually } from "../../../support/eventually.ts";
import { addAsset, chainOf, position, requestCreation, useDatabase } from "../../rows.ts";

/**
 * API and indexer write rows of the same requests. Each locks the requests first, several in the order of their
 * ids: whoever did otherwise would wait for one who waits for it, and the database would end one of the two.
 */
describe("locks on requests", () => {
  const store = useDatabase();
  const at = position(6);
  const hash: Hash = at.transactionHash;
  const signed = { hash, raw: "0x02", nonce: 7, description: undefined } as const;
  let ids: string[];

  beforeEach(async () => {
    ids = await store.write(async (tx) => {
      await chainOf(tx, 9);
      await addAsset(tx, "a", at);
      const made: string[] = [];
      for (let index = 0; index < 12; index += 1) made.push(await requestCreation(tx, "a"));
      for (const id of made) await storeSigned(tx, id, signed);
      return made.toSorted();
    });
    // Where the rows are read as they lie, the lowest id comes last.
    await store.pool.query("update service.requests set settled = settled where id = $1", [ids[0]]);
  });

  const waiting = () =>
    eventually(
      "a lock that is waited for",
      async () =>
        (
          await store.pool.query(
            `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
          )
        ).rowCount,
      (count) => count === 1,
    );

  /** Starts `write` while the lowest request is locked, and takes `then` as soon as it waits for that lock. */
  async function meanwhile(
    write: (tx: Transaction) => Promise<unknown>,
    then: (tx: Transaction) => Promise<unknown>,
  ): Promise<void> {
    let other: Promise<unknown> = Promise.resolve();
    await store.write(async (tx) => {
      await lockRequest(tx, ids[0] ?? "");
      other = store.write(write);
      other.catch(() => undefined);
      await waiting();
      await then(tx);
    });
    await other;
  }

  const check = () => ({ hash, requestId: ids[0] ?? "", nextAttemptSeconds: 5 });
  const ofOne: [what: string, write: (tx: Transaction) => Promise<unknown>][] = [
    ["the node shows a transaction", (tx) => recordAccepted(tx, { ...check(), nonce: 7 })],
    ["the node is without a transaction", (tx) => recordMissing(tx, { ...check(), at: 1 })],
    [
      "the node refuses a transaction",
      (tx) => {
        const refusal = { ...check(), problem: "no", lowFee: false, ending: "REJECTED", at: 1 } as const;
        return recordRejected(tx, refusal, { attempts: 1, seconds: 0 });
      },
    ],
    ["a block brings a transaction", (tx) => tieTransactions(tx, [ids[0] ?? ""])],
  ];

  for (const [what, write] of ofOne) {
    it(`let one store a transaction of the request while another notes that ${what}`, async () => {
      await meanwhile(
        async (tx) => {
          await write(tx);
          await recordStates(tx, [ids[0] ?? ""]);
        },
        (tx) => storeSigned(tx, ids[0] ?? "", signed),
      );
    });
  }

  const ofMany: [what: string, write: (tx: Transaction) => Promise<unknown>][] = [
    ["a block brings what they ask for", (tx) => tieTransactions(tx, ids.toReversed())],
    ["their states are noted", (tx) => recordStates(tx, ids.toReversed())],
    ["a reorg removes the block", async (tx) => makeDue(tx, await deleteBlocksAbove(tx, 5))],
  ];

  for (const [what, write] of ofMany) {
    it(`let one lock all of them while ${what}`, async () => {
      await meanwhile(write, (tx) => lockRequests(tx, ids));
    });
  }

  it("make a reorg see what was stored while it waited", async () => {
    await meanwhile(
      async (tx) => recordStates(tx, await deleteBlocksAbove(tx, 5)),
      (tx) => storeRefusal(tx, ids[0] ?? "", "0xaa"),
    );
    const { rows } = await store.pool.query(
      "select noted_state as state from service.requests where id = $1",
      [ids[0]],
    );
    expect(rows).to.deep.equal([{ state: "RevokedByUser" }]);
  });
});
