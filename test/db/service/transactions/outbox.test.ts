import { expect } from "chai";
import { insertNonces } from "../../../../db/chain/nonces.ts";
import type { Transaction } from "../../../../db/core/pool.ts";
import { giveUp, storeRefusal } from "../../../../db/service/requests/endings.ts";
import { transactionsDue } from "../../../../db/service/transactions/due.ts";
import { isDropped, recordMissing, recordRejected } from "../../../../db/service/transactions/not-seen.ts";
import { recordAccepted, recordSeen } from "../../../../db/service/transactions/seen.ts";
import { reasonsNotToSend } from "../../../../db/service/transactions/sendable.ts";
import { storeSigned } from "../../../../db/service/transactions/signed.ts";
import { owner } from "../../../support/chain/accounts.ts";
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

const nextAttemptSeconds = 5;
const finalBlock = 5;

describe("transactions that are looked after", () => {
  const store = useDatabase();
  let id: string;

  beforeEach(async () => {
    id = await store.write(async (tx) => {
      await chainOf(tx, 9, finalBlock);
      return requestCreation(tx, "a");
    });
  });

  const sign = (word: string, nonce: number) =>
    store.write((tx) =>
      storeSigned(tx, id, { hash: wordOf(word), raw: "0x02", nonce, description: undefined }),
    );
  const accept = (word: string, nonce: number) =>
    store.write((tx) => recordAccepted(tx, { hash: wordOf(word), requestId: id, nonce, nextAttemptSeconds }));
  const miss = (word: string) =>
    store.write((tx) =>
      recordMissing(tx, { hash: wordOf(word), requestId: id, nextAttemptSeconds, at: finalBlock }),
    );
  const see = (word: string, lowFee = false) =>
    store.write((tx) => recordSeen(tx, { hash: wordOf(word), requestId: id, nextAttemptSeconds, lowFee }));
  const refuse = (
    word: string,
    ending: "REJECTED" | undefined,
    { lowFee = false, at = finalBlock, counts = true, repeats = { attempts: 1, seconds: 0 } } = {},
  ) =>
    store.write((tx) => {
      const check = { hash: wordOf(word), requestId: id, nextAttemptSeconds };
      return recordRejected(
        tx,
        { ...check, problem: "no", lowFee, ending, at: counts ? at : undefined },
        repeats,
      );
    });
  const dropped = () => store.write((tx) => isDropped(tx, id, { attempts: 1, seconds: 30 }));
  const later = (seconds: number) =>
    store.pool.query(
      `update service.transactions set missing_since = missing_since - make_interval(secs => $1),
         rejected_since = rejected_since - make_interval(secs => $1), next_attempt_at = now()`,
      [seconds],
    );
  const hint = async () => (await found(store.pool, id)).hint?.code;

  it("are due in turns of tenants, and within a tenant of authors", async () => {
    await store.write(async (tx) => {
      await tx.query(
        `insert into service.requests (id, tenant, kind, author, asset_id, chain_id, registry, calldata, expires_at)
         select gen_random_uuid(), case n when 0 then 'quiet' else 'busy' end, 'link',
           substring(sha256(case n when 1 then '\\x02'::bytea else '\\x01' end) for 20), sha256(n::text::bytea), 31337,
           substring(sha256('r') for 20), '\\x01', now() + interval '1 day'
         from generate_series(0, 400) n`,
      );
      await tx.query(
        `insert into service.transactions (hash, request_id, raw, nonce, next_attempt_at)
         select asset_id, id, '\\x01', 0, case tenant when 'quiet' then now() else now() - interval '1 hour' end
         from service.requests where kind = 'link'`,
      );
    });
    const { rows } = await store.pool.query<{ hash: Buffer }>(
      "select sha256('0') as hash union all select sha256('1')",
    );
    const first = (await transactionsDue(store.pool, 3)).map(({ hash }) => hash);
    for (const { hash } of rows) expect(first).to.include(`0x${hash.toString("hex")}`);
    expect(await transactionsDue(store.pool, 50)).to.have.length(50);
  });

  describe("given transactions that only their wallet can send again", () => {
    it("are dropped when the node has been without all of them for so long", async () => {
      await accept("t", 1);
      await accept("u", 2);
      await miss("t");
      await later(60);
      expect(await dropped(), "the node has the other one").to.equal(false);
      await miss("u");
      expect(await dropped(), "of the other one it is too early to say").to.equal(false);
      await later(31);
      expect(await dropped()).to.equal(true);
      await see("t");
      expect(await dropped(), "it is back").to.equal(false);
    });

    it("are not dropped while the service can send one itself", async () => {
      await accept("t", 1);
      await sign("t", 1);
      await miss("t");
      await later(60);
      expect(await dropped()).to.equal(false);
    });
  });

  it("hold up a request only where none of them can be mined", async () => {
    await accept("t", 1);
    expect(await hint()).to.equal(undefined);
    await miss("t");
    expect(await hint()).to.equal("NOT_SEEN");
    await accept("u", 1);
    expect(await hint()).to.equal(undefined);
    await see("u", true);
    expect(await hint()).to.equal("FEE_BELOW_BASE_FEE");
    await see("u");
    expect(await hint()).to.equal(undefined);
  });

  it("leave nothing of a request when each of them was refused for good", async () => {
    await sign("t", 1);
    await sign("u", 1);
    expect(await refuse("t", "REJECTED")).to.equal("others left");
    await later(0);
    expect((await transactionsDue(store.pool, 9)).map(({ hash }) => hash)).to.deep.equal([wordOf("u")]);
    expect(await refuse("u", undefined, { lowFee: true })).to.equal("again");
    expect(await hint()).to.equal("FEE_BELOW_BASE_FEE");
    expect(await refuse("u", "REJECTED")).to.equal("nothing left");
  });

  it("are over only after several refusals in a row, spread over time, since a block that is final by then", async () => {
    await sign("t", 1);
    const repeats = { attempts: 3, seconds: 30 };
    const again = async (at = finalBlock, counts = true) => refuse("t", "REJECTED", { at, counts, repeats });
    const goOn = async () => {
      for (let attempt = 0; attempt < 5; attempt += 1) expect(await again()).to.equal("again");
    };
    await goOn();
    await later(29);
    expect(await again()).to.equal("again");
    // Another answer ends the run.
    await refuse("t", undefined);
    await later(60);
    await goOn();
    await refuse("t", undefined);
    // Of a block that is not final, it has to go on until that is; what counts for nothing begins no run.
    await again(finalBlock, false);
    for (let attempt = 0; attempt < 5; attempt += 1) await again(finalBlock + 1);
    await later(60);
    expect(await again(finalBlock + 1)).to.equal("again");
    await store.write((tx) => finalUpTo(tx, finalBlock + 1));
    expect(await again(finalBlock + 1)).to.equal("nothing left");
  });

  describe("when one is to be sent", () => {
    const stops = (...nonces: number[]) =>
      reasonsNotToSend(
        store.pool,
        nonces.map((nonce) => ({ requestId: id, nonce })),
      );
    const stop = async (nonce: number) => (await stops(nonce))[0];

    it("waits for one before it that the chain may still execute", async () => {
      await accept("t", 7);
      await sign("u", 8);
      expect(await stop(7)).to.equal(undefined);
      expect(await stop(8)).to.equal("behind another");
      await store.write((tx) => insertNonces(tx, 5, new Map([[owner.address, 8]])));
      expect(await stop(8)).to.equal(undefined);
    });

    it("is not sent when the change is on the chain, or the request is gone", async () => {
      await sign("t", 7);
      await store.write((tx) => addAsset(tx, "a", position(6)));
      expect(await stop(7)).to.equal("closed");
      const gone = { requestId: "00000000-0000-4000-8000-000000000000", nonce: 7 };
      expect(await reasonsNotToSend(store.pool, [gone])).to.deep.equal(["closed"]);
    });

    it("is told for many at once, each for itself", async () => {
      await accept("t", 7);
      await sign("u", 8);
      const other = await store.write((tx) => requestCreation(tx, "b"));
      const gone = "00000000-0000-4000-8000-000000000000";
      expect(
        await reasonsNotToSend(store.pool, [
          { requestId: id, nonce: 8 },
          { requestId: other, nonce: 8 },
          { requestId: gone, nonce: 8 },
          { requestId: id, nonce: 7 },
          { requestId: other, nonce: undefined },
        ]),
      ).to.deep.equal(["behind another", undefined, "closed", undefined, undefined]);
    });

    const endings: [string, (tx: Transaction) => Promise<void>][] = [
      ["its author refused it", (tx) => storeRefusal(tx, id, "0x01")],
      ["the service gave it up", (tx) => giveUp(tx, id, "REJECTED")],
    ];
    for (const [what, end] of endings) {
      it(`is not sent when ${what}, though it was found due before that`, async () => {
        await sign("t", 7);
        expect(await stop(7)).to.equal(undefined);
        await store.write(end);
        expect(await stop(7)).to.equal("closed");
      });
    }
  });
});
