import { expect } from "chai";
import { insertRevert } from "../../../../db/chain/reverts.ts";
import type { Transaction } from "../../../../db/core/pool.ts";
import { hasExpired, isReceived, isUnmade } from "../../../../db/service/requests/conditions.ts";
import { giveUp, storeRefusal } from "../../../../db/service/requests/endings.ts";
import { findRequestOutlines } from "../../../../db/service/requests/find.ts";
import { recordStates } from "../../../../db/service/requests/history.ts";
import { recordAccepted, recordForeign } from "../../../../db/service/transactions/seen.ts";
import { storeSigned } from "../../../../db/service/transactions/signed.ts";
import { deriveState, type Facts, isExpired, isSettled } from "../../../../domain/request/state.ts";
import { addAsset, chainOf, position, requestCreation, useDatabase, wordOf } from "../../rows.ts";

/** Each fact that a request may have, as the product writes it down. */
const facts: ((tx: Transaction, id: string, name: string) => Promise<unknown>)[] = [
  (tx, id, name) =>
    storeSigned(tx, id, { hash: wordOf(name), raw: "0x02", nonce: 7, description: undefined }),
  (tx, id, name) =>
    recordAccepted(tx, { hash: wordOf(name), requestId: id, nonce: 7, nextAttemptSeconds: 5 }),
  async (tx, id, name) => {
    const check = { hash: wordOf(`foreign ${name}`), requestId: id, nextAttemptSeconds: 5 };
    await recordAccepted(tx, { ...check, nonce: 8 });
    await recordForeign(tx, check);
  },
  (tx, id) =>
    tx.query("insert into service.relays (request_id, signature, estimated_cost) values ($1, '\\x01', 1)", [
      id,
    ]),
  (tx, id) => storeRefusal(tx, id, "0x01"),
  (tx, id) => giveUp(tx, id, "REJECTED"),
  (tx, _, name) => insertRevert(tx, { hash: wordOf(name), blockNumber: 3, reason: "REVERTED" }),
  (tx, _, name) => addAsset(tx, name, position(5)),
];

describe("the conditions in SQL", () => {
  const store = useDatabase();

  /** By the facts as they are, and as they were when the state was noted: the clock notes nothing. */
  const conditions: [
    name: string,
    condition: (request: string) => string,
    holds: (...facts: [Facts, Facts]) => boolean,
  ][] = [
    ["isReceived", isReceived, (now) => deriveState(now).state === "Received"],
    ["hasExpired", hasExpired, (now, noted) => isExpired(now) && !isSettled(noted)],
    ["isUnmade", isUnmade, (_, noted) => !isSettled(noted) && deriveState(noted).state !== "Committed"],
  ];

  for (const noted of ["before", "after"] as const) {
    it(`hold as the domain says, whatever the facts, noted ${noted} their time ran out`, async () => {
      const ids = await store.write(async (tx) => {
        await chainOf(tx, 9, 4);
        const made: string[] = [];
        for (let some = 0; some < 2 ** (facts.length + 1); some += 1) {
          const name = `${noted} ${some}`;
          const id = await requestCreation(tx, name);
          made.push(id);
          for (const [bit, happens] of facts.entries()) if (some & (1 << bit)) await happens(tx, id, name);
        }
        return made;
      });
      const late = ids.slice(ids.length / 2);
      const expire = (tx: Transaction) =>
        tx.query(
          "update service.requests set expires_at = now() - interval '1 s' where id = any($1::uuid[])",
          [late],
        );
      if (noted === "after") await store.write(expire);
      await store.write((tx) => recordStates(tx, ids));
      if (noted === "before") await store.write(expire);

      const requests = await findRequestOutlines(store.pool, ids);
      for (const [name, condition, holds] of conditions) {
        const expected = requests.filter(({ facts: now }) =>
          holds(now, noted === "before" ? { ...now, overdue: false } : now),
        );
        const { rows } = await store.pool.query<{ id: string }>(
          `select id from service.requests request where ${condition("request")} order by created_at, id`,
        );
        expect(
          rows.map(({ id }) => id),
          name,
        ).to.deep.equal(expected.map(({ id }) => id));
      }
    });
  }
});
