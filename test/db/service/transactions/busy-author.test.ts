import { expect } from "chai";
import type { Pool } from "../../../../db/core/pool.ts";
import { inboxOfTenant } from "../../../../db/service/inbox.ts";
import { countUnanswered } from "../../../../db/service/requests/counts.ts";
import { requestsExpired } from "../../../../db/service/requests/expired.ts";
import { findRequest } from "../../../../db/service/requests/find.ts";
import { requestsTouched } from "../../../../db/service/requests/touched.ts";
import { transactionsDue } from "../../../../db/service/transactions/due.ts";
import { readLine } from "../../../../db/service/transactions/nonce-queue.ts";
import { transactionsUnderWay } from "../../../../db/service/transactions/under-way.ts";
import { owner } from "../../../support/chain/accounts.ts";
import { explaining, type Plan, pagesRead, tablesReadWhole } from "../../plans.ts";
import { chainOf, found, requestCreation, useDatabase, wordOf } from "../../rows.ts";

const past = 5_000;

/** A company registers by one account for years: what is read of its newest request must not grow with the old ones. */
describe("an author with many requests behind them", () => {
  const store = useDatabase();
  let newest: string;

  beforeEach(async () => {
    newest = await store.write(async (tx) => {
      await chainOf(tx, 0);
      await tx.query(
        `insert into chain.blocks (number, hash, parent_hash, timestamp)
         select n, sha256(n::text::bytea), sha256((n - 1)::text::bytea), n from generate_series(1, $1::int) n`,
        [past],
      );
      await tx.query("update chain.cursor set block_number = $1::bigint, final_number = $1::bigint - 5", [
        past,
      ]);
      await tx.query(
        `insert into service.requests (id, tenant, kind, author, asset_id, chain_id, registry, calldata, expires_at,
           created_at, noted_state, settled, link_nonce)
         select gen_random_uuid(), 'acme', 'link', $1, sha256(n::text::bytea), 31337, $1, '\\x01',
           now() + interval '1 day', now() - (100000 - n) * interval '1 second', 'Confirmed', true,
           sha256(n::text::bytea)
         from generate_series(1, $2::int) n`,
        [Buffer.from(owner.address.slice(2), "hex"), past],
      );
      await tx.query(
        `insert into service.transactions (hash, request_id, raw, nonce, accepted_at)
         select asset_id, id, '\\x01', row_number() over (order by created_at) - 1, now() from service.requests`,
      );
      await tx.query(
        `insert into chain.nonces (address, block_number, nonce)
         select $1, n, n from generate_series(1, $2::int) n`,
        [Buffer.from(owner.address.slice(2), "hex"), past],
      );
      const id = await requestCreation(tx, "newest");
      await tx.query(
        "insert into service.transactions (hash, request_id, raw, nonce, accepted_at) values ($1, $2, '\\x01', $3, now())",
        [Buffer.alloc(32, 1), id, past],
      );
      return id;
    });
    await store.pool.query("vacuum analyze");
  });

  const page = { signer: undefined, state: undefined, after: undefined, skip: 0, size: 50 };
  const cases: [string, number, (pool: Pool) => Promise<unknown>, unknown][] = [
    ["the newest", 40, async (pool) => (await findRequest(pool, newest))?.facts.nonces.open, 1],
    ["a page of them", 1_000, async (pool) => (await inboxOfTenant(pool, "acme", page)).entries.length, 50],
    [
      "its line",
      40,
      async (pool) => (await readLine(pool, await found(store.pool, newest), wordOf("none"))).held.length,
      1,
    ],
    ["what is under way", 40, async (pool) => (await transactionsUnderWay(pool)).length, 1],
    ["what is to be sent", 40, async (pool) => (await transactionsDue(pool, 50)).length, 1],
    ["what a block may change", 40, async (pool) => (await requestsTouched(pool, {})).length, 1],
    [
      "how many wait for their author",
      40,
      async (pool) =>
        [await countUnanswered(pool, "acme", 10_000), await countUnanswered(pool, "other", 10_000)].join(),
      "1,0",
    ],
    ["what has expired", 40, async (pool) => (await requestsExpired(pool, 250, undefined)).length, 0],
  ];
  for (const [what, mostPages, read, answer] of cases) {
    it(`lets ${what} be read at once`, async () => {
      const plans: Plan[] = [];
      expect(await read(explaining(store.pool, plans))).to.equal(answer);
      expect(plans).to.have.length.above(0);
      for (const plan of plans) expect(pagesRead(plan)).to.be.below(mostPages);
      expect(tablesReadWhole(plans)).not.to.include("requests");
    });
  }
});
