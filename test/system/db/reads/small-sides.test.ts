import { expect } from "chai";
import { deleteBlocksAbove } from "../../../../db/chain/blocks.ts";
import { insertCancellations } from "../../../../db/chain/cancellations.ts";
import { insertNonces } from "../../../../db/chain/nonces.ts";
import type { Database } from "../../../../db/core/pool.ts";
import { queueAges } from "../../../../db/service/queue-ages.ts";
import { storeRefusal } from "../../../../db/service/requests/endings.ts";
import { findRequest } from "../../../../db/service/requests/find.ts";
import { countOpenByState, recordStates, recordStatesOf } from "../../../../db/service/requests/history.ts";
import { openLinkRequests } from "../../../../db/service/requests/open-link-changes.ts";
import { requestsTouched } from "../../../../db/service/requests/touched.ts";
import { tieTransactions } from "../../../../db/service/transactions/mined.ts";
import { explaining, type Plan, pagesRead, tablesReadWhole } from "../../../db/plans.ts";
import {
  addAsset,
  assetIdFor,
  chainOf,
  changeLink,
  position,
  requestCreation,
  requestLinkChange,
  useDatabase,
  wordOf,
} from "../../../db/rows.ts";
import { owner, third } from "../../../support/chain/accounts.ts";

const past = 20_000;
const hub = wordOf("hub");
const child = wordOf("child");

/** What a block, a reorg or a request costs must not grow with all that there has been, or with what strangers do. */
describe("after years of requests, and a flood of strangers' cancellations", () => {
  const store = useDatabase();
  let open: string;

  beforeEach(async function () {
    this.timeout(120_000);
    open = await store.write(async (tx) => {
      await chainOf(tx, 20, 10);
      // Of one author and one parent: the worst that can be.
      await tx.query(
        `insert into service.requests (id, tenant, kind, author, asset_id, chain_id, registry, calldata, expires_at,
           created_at, noted_state, settled)
         select gen_random_uuid(), 'acme', 'link', $1, $2, 31337, $1, '\\x01', now() + interval '1 day',
           now() - (100000 - n) * interval '1 second', 'Confirmed', true
         from generate_series(1, $3::int) n`,
        [bytes(owner.address), bytes(hub), past],
      );
      await tx.query(
        `insert into service.request_targets (request_id, ordinal, child, nth)
         select id, 1, sha256(id::text::bytea), 1 from service.requests`,
      );
      await tx.query(
        `insert into service.transactions (hash, request_id, raw, nonce, accepted_at)
         select sha256(id::text::bytea), id, '\\x01', row_number() over (order by created_at) - 1, now()
         from service.requests`,
      );
      await insertNonces(tx, 9, new Map([[owner.address, past]]));
      const id = await requestCreation(tx, "open");
      // Strangers void in vain, and all of it what the open request's author would sign.
      await tx.query(
        `insert into chain.cancellations (author, subject, block_number, transaction_index, log_index, transaction_hash)
         select substring(sha256(n::text::bytea) for 20), $1, 15, 0, n, sha256('') from generate_series(100, $2::int + 100) n`,
        [bytes(assetIdFor("open")), past],
      );
      return id;
    });
    await store.pool.query("vacuum analyze");
  });

  const bytes = (hex: string) => Buffer.from(hex.slice(2), "hex");

  async function expectCheap<Result>(
    most: number,
    read: (db: Database) => Promise<Result>,
    on: Database = store.pool,
  ): Promise<Result> {
    const plans: Plan[] = [];
    const result = await read(explaining(on, plans));
    expect(tablesReadWhole(plans)).not.to.include.members(["requests"]);
    for (const name of ["requests", "transactions", "request_targets", "cancellations"]) {
      expect(tablesReadWhole(plans)).not.to.include(name);
    }
    expect(plans.reduce((sum, plan) => sum + pagesRead(plan), 0)).to.be.below(most);
    return result;
  }

  it("reads a request", async () => {
    expect(await expectCheap(100, (db) => findRequest(db, open))).to.include({ id: open });
  });

  it("reads what a block may change: none of what is over, and none of what strangers void", async () => {
    const links = [{ parent: hub, child }];
    const voided = [{ author: third.address, subject: assetIdFor("open") }];
    expect(await expectCheap(100, (db) => requestsTouched(db, { links, voided }))).to.deep.equal([]);
  });

  it("reads of a parent's many requests those for the link that changed", async () => {
    const id = await store.write((tx) =>
      requestLinkChange(tx, hub, { kind: "link", targets: [{ child, nth: 1 }] }),
    );
    expect(
      await expectCheap(100, (db) => requestsTouched(db, { links: [{ parent: hub, child }] })),
    ).to.deep.equal([id]);
  });

  describe("of which ten thousand were refused that share a link", () => {
    const refused = 10_000;
    const links = [{ parent: hub, child }];
    let whole: string;
    beforeEach(async function () {
      this.timeout(120_000);
      whole = await store.write(async (tx) => {
        await tx.query(
          `with made as (
             insert into service.requests (id, tenant, kind, author, asset_id, chain_id, registry, calldata, expires_at,
               refused_at, refusal_signature, noted_state, settled)
             select gen_random_uuid(), 'acme', 'link', $1, $2, 31337, $1, '\\x01', now() + interval '1 day',
               now(), '\\x01', 'RevokedByUser', true
             from generate_series(1, $4::int) n returning id)
           insert into service.request_targets (request_id, ordinal, child, nth)
           select id, ordinal, case ordinal when 1 then $3 else sha256(ordinal::text::bytea) end, 1
           from made, generate_series(1, 10) ordinal`,
          [bytes(owner.address), bytes(hub), bytes(child), refused],
        );
        const id = await requestLinkChange(tx, hub, { kind: "link", targets: [{ child, nth: 1 }] });
        await storeRefusal(tx, id, "0x01");
        await recordStates(tx, [id]);
        return id;
      });
      await store.pool.query("vacuum analyze");
    });

    it("looks only at those whose whole change a block made, and a reorg took back, within a second", async () => {
      await store.write(async (tx) => {
        await changeLink(tx, "added", hub, child, position(18));
        const begun = performance.now();
        const touched = await requestsTouched(tx, { links });
        expect(touched).to.deep.equal([whole]);
        const [tied] = await recordStatesOf(tx, await tieTransactions(tx, touched));
        expect(tied?.noted?.state).to.equal("Committed");
        expect(await deleteBlocksAbove(tx, 17)).to.deep.equal([whole]);
        expect(performance.now() - begun).to.be.below(1_000);
      });
    });
  });

  it("reads what the author voided", async () => {
    await store.write((tx) =>
      insertCancellations(tx, [
        { author: owner.address, subject: assetIdFor("open"), position: position(16) },
      ]),
    );
    expect(await expectCheap(100, (db) => requestsTouched(db, {}))).to.deep.equal([open]);
  });

  it("looks after a reorg at the requests that it concerns", async () => {
    await store.write(async (tx) => {
      const id = await requestLinkChange(tx, hub, { kind: "link", targets: [{ child, nth: 1 }] });
      await changeLink(tx, "added", hub, child, position(18));
      await insertNonces(tx, 18, new Map([[owner.address, past + 1]]));
      await addAsset(tx, "open", position(18, 1));
      const concerned = await expectCheap(400, (db) => deleteBlocksAbove(db as typeof tx, 17), tx);
      expect(concerned).to.have.members([id, open]);
    });
  });

  it("finds the open request for a change of links among hundreds of its parent", async () => {
    const targets = [{ child, nth: 1 }];
    const wanted = await store.write(async (tx) => {
      await tx.query(
        `with made as (
           insert into service.requests (id, tenant, kind, author, asset_id, chain_id, registry, calldata, expires_at)
           select gen_random_uuid(), 'acme', 'link', $1, $2, 31337, $1, '\\x01', now() + interval '1 day'
           from generate_series(1, 600) returning id)
         insert into service.request_targets (request_id, ordinal, child, nth)
         select id, 1, sha256(id::text::bytea), 1 from made`,
        [bytes(owner.address), bytes(hub)],
      );
      return await requestLinkChange(tx, hub, { kind: "link", targets });
    });
    await store.pool.query("vacuum analyze");
    const find = (db: Database) => openLinkRequests(db, "acme", { kind: "link", parent: hub, targets });
    expect((await expectCheap(150, find)).map(({ id }) => id)).to.deep.equal([wanted]);
  });

  it("tells how old the queues are and how many are open", async () => {
    expect((await expectCheap(200, queueAges)).get("submission")).to.equal(0);
    expect(await expectCheap(200, countOpenByState)).to.deep.equal(new Map([["Received", 1]]));
  });
});
