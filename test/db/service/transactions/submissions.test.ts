import { expect } from "chai";
import { moveIndexPosition } from "../../../../db/chain/index-position.ts";
import { insertNonces } from "../../../../db/chain/nonces.ts";
import type { Transaction } from "../../../../db/core/pool.ts";
import { giveUp, markSettled, storeRefusal } from "../../../../db/service/requests/endings.ts";
import { findRequest } from "../../../../db/service/requests/find.ts";
import { recordState, recordStates } from "../../../../db/service/requests/history.ts";
import { recordAccepted } from "../../../../db/service/transactions/seen.ts";
import { storeSigned } from "../../../../db/service/transactions/signed.ts";
import {
  readSubmission,
  type SubmissionReading,
  storeFirstAnswer,
} from "../../../../db/service/transactions/submissions.ts";
import { owner } from "../../../support/chain/accounts.ts";
import { historyOf } from "../../../support/database/history.ts";
import { block, chainOf, requestCreation, useDatabase, wordOf } from "../../rows.ts";

describe("storing the first answer to a request", () => {
  const store = useDatabase();
  const signed = { hash: wordOf("t"), raw: "0x02", nonce: 7, description: "from my ledger" } as const;
  let id: string;
  let another: string;

  beforeEach(async () => {
    [id, another] = await store.write(async (tx) => {
      await chainOf(tx, 4);
      const made = [await requestCreation(tx, "a"), await requestCreation(tx, "b")] as const;
      for (const one of made) await recordState(tx, one);
      await storeSigned(tx, made[1], { ...signed, hash: wordOf("held"), nonce: 6 });
      return made;
    });
  });

  const read = async (): Promise<SubmissionReading> => {
    const reading = await readSubmission(store.pool, id);
    if (reading === undefined) throw new Error("there is no such request");
    return reading;
  };

  it("reads the request, the author's nonces, and what is stored for it", async () => {
    const { request, held, stored } = await read();
    expect(request).to.deep.equal(await findRequest(store.pool, id));
    expect(held).to.deep.equal([{ nonce: 6, hash: wordOf("held"), own: false, raw: undefined }]);
    expect(stored).to.deep.equal([]);
    expect(await readSubmission(store.pool, "00000000-0000-4000-8000-000000000000")).to.equal(undefined);
  });

  const storeFirst = (reading: SubmissionReading, one: typeof signed) =>
    store.write((tx) => storeFirstAnswer(tx, reading, one));

  it("answers what would be read of the request, and notes its state", async () => {
    const after = await storeFirst(await read(), signed);
    expect(after).to.deep.equal(await findRequest(store.pool, id));
    const [, entry] = await historyOf(store.pool, id);
    expect(entry).to.include({ state: "TxSignatureSubmitted", transactionHash: signed.hash });
    expect((await read()).stored).to.deep.equal([signed.hash]);
    const { rows } = await store.pool.query(
      "select noted_state, description, nonce, '0x' || encode(raw, 'hex') as raw from service.requests request join service.transactions on request_id = id where id = $1",
      [id],
    );
    const { raw, nonce, description } = signed;
    expect(rows).to.deep.equal([{ noted_state: "TxSignatureSubmitted", raw, nonce, description }]);
  });

  it("is undone with the transaction that it is part of", async () => {
    const reading = await read();
    await store
      .write(async (tx) => {
        expect(await storeFirstAnswer(tx, reading, signed)).not.to.equal(undefined);
        throw new Error("the answer could not be kept");
      })
      .catch(() => undefined);
    expect(await read()).to.deep.equal(reading);
  });

  const noted = (change: (tx: Transaction) => Promise<unknown>) => async (tx: Transaction) => {
    await change(tx);
    await recordStates(tx, [id, another]);
  };
  const changes: [what: string, change: (tx: Transaction) => Promise<unknown>][] = [
    ["another transaction was stored", noted((tx) => storeSigned(tx, id, { ...signed, hash: wordOf("u") }))],
    [
      "the node showed one",
      noted((tx) =>
        recordAccepted(tx, { hash: wordOf("u"), requestId: id, nonce: 7, nextAttemptSeconds: 5 }),
      ),
    ],
    [
      "a signature for the relayer was stored",
      noted((tx) =>
        tx.query(
          "insert into service.relays (request_id, signature, estimated_cost) values ($1, '\\x01', 1)",
          [id],
        ),
      ),
    ],
    ["its author refused", noted((tx) => storeRefusal(tx, id, "0x01"))],
    ["the service gave it up", noted((tx) => giveUp(tx, id, "REJECTED"))],
    ["it expired", (tx) => tx.query("update service.requests set expires_at = now() where id = $1", [id])],
    ["it settled", (tx) => markSettled(tx, [id], true)],
    [
      "another state was noted",
      (tx) =>
        tx.query("insert into service.history (request_id, ordinal, state) values ($1, 2, 'Received')", [id]),
    ],
    [
      "a block came",
      (tx) => moveIndexPosition(tx, { blockNumber: 5, blockHash: block(5).hash, finalNumber: -1 }),
    ],
    ["a nonce passed it", (tx) => insertNonces(tx, 4, new Map([[owner.address, 8]]))],
    [
      "another request of the author got a transaction",
      (tx) => storeSigned(tx, another, { ...signed, hash: wordOf("u") }),
    ],
    ["a nonce of the author came free", noted((tx) => giveUp(tx, another, "REJECTED"))],
  ];
  for (const [what, change] of changes) {
    it(`stores nothing where ${what} meanwhile`, async () => {
      const reading = await read();
      await store.write(change);
      const changed = await findRequest(store.pool, id);
      expect(await storeFirst(reading, signed)).to.equal(undefined);
      expect(await findRequest(store.pool, id)).to.deep.equal(changed);
    });
  }

  it("is left to others where the request had an answer before", async () => {
    await store.write((tx) => storeSigned(tx, id, signed));
    expect(await storeFirst(await read(), signed)).to.equal(undefined);
  });

  it("stores one of many that come at once for the same nonce of an author", async () => {
    const readings = await store.write(async (tx) => {
      const made: string[] = [];
      for (let index = 0; index < 8; index += 1) made.push(await requestCreation(tx, `many ${index}`));
      for (const one of made) await recordState(tx, one);
      return made;
    });
    const all = await Promise.all(readings.map((one) => readSubmission(store.pool, one)));
    const outcomes = await Promise.all(
      all.map((reading, index) =>
        storeFirst(reading as SubmissionReading, { ...signed, hash: wordOf(`t${index}`) }),
      ),
    );
    expect(outcomes.filter((one) => one !== undefined)).to.have.length(1);
    const { rowCount } = await store.pool.query("select from service.transactions where nonce = 7");
    expect(rowCount).to.equal(1);
  });
});
