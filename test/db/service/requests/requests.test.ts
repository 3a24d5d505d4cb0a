import { expect } from "chai";
import type { Hex } from "viem";
import { deleteBlocksAbove, insertBlocks } from "../../../../db/chain/blocks.ts";
import { createIndexPosition } from "../../../../db/chain/index-position.ts";
import { insertNonces } from "../../../../db/chain/nonces.ts";
import { insertRevert } from "../../../../db/chain/reverts.ts";
import { giveUp, markSettled, storeRefusal, takeUp } from "../../../../db/service/requests/endings.ts";
import { requestsExpired } from "../../../../db/service/requests/expired.ts";
import { assetsRequested, findCreation, findRequest } from "../../../../db/service/requests/find.ts";
import { recordStates } from "../../../../db/service/requests/history.ts";
import { insertCreation } from "../../../../db/service/requests/insert-creation.ts";
import { openLinkRequests } from "../../../../db/service/requests/open-link-changes.ts";
import { requestsTouched } from "../../../../db/service/requests/touched.ts";
import { tieTransactions } from "../../../../db/service/transactions/mined.ts";
import { storeReportedHash } from "../../../../db/service/transactions/reported-hashes.ts";
import { recordAccepted } from "../../../../db/service/transactions/seen.ts";
import { storeSigned } from "../../../../db/service/transactions/signed.ts";
import { transactionsUnderWay } from "../../../../db/service/transactions/under-way.ts";
import { mapDetails } from "../../../../domain/asset/asset.ts";
import type { Position } from "../../../../domain/index/log-position.ts";
import {
  deriveState,
  type Facts,
  isSettled,
  noncesUsedAt,
  nothingYet,
} from "../../../../domain/request/state.ts";
import { hashAsset, rawDetails } from "../../../support/asset-id.ts";
import { other, owner } from "../../../support/chain/accounts.ts";
import {
  addAsset,
  assetIdFor,
  block,
  chainOf,
  changeLink,
  finalUpTo,
  found,
  newRequest,
  position,
  registry,
  requestCreation,
  requestLinkChange,
  timeOf,
  useDatabase,
  wordOf,
} from "../../rows.ts";

const nothing: Facts = { ...nothingYet, finalBlock: -1 };

const signed = (word: string, nonce: number) => ({
  hash: wordOf(word),
  raw: "0x02" as Hex,
  nonce,
  description: undefined,
});

describe("a request", () => {
  const store = useDatabase();
  const factsOf = async (id: string) => (await found(store.pool, id)).facts;

  describe("as it was stored", () => {
    it("is answered word for word, by its id and by its asset", async () => {
      const details = mapDetails((field) => `${field} é \u0001 😀`);
      const change = { kind: "create", salt: wordOf("salt"), details } as const;
      const contentHash = hashAsset(owner.address, change.salt, rawDetails(details));
      const request = { ...newRequest(), assetId: wordOf("asset"), change, contentHash };
      const { id } = request;
      await store.write((tx) => insertCreation(tx, request));
      const one = await found(store.pool, id);
      expect(one).to.deep.include({
        id,
        tenant: "acme",
        author: owner.address,
        assetId: wordOf("asset"),
        registry,
        calldata: "0x01",
        change,
        contentHash,
        settled: false,
        transactionHash: undefined,
        blockNumber: undefined,
        confirmations: undefined,
      });
      expect(one.expiresAt.getTime() - one.createdAt.getTime()).to.equal(600_000);
      expect(await findCreation(store.pool, wordOf("asset"))).to.deep.equal(one);
    });

    it("keeps the targets in the order of asking", async () => {
      const targets = ["c", "a", "b"].map((word, index) => ({ child: wordOf(word), nth: index + 1 }));
      const id = await store.write((tx) => requestLinkChange(tx, wordOf("p"), { kind: "link", targets }));
      expect((await found(store.pool, id)).change).to.deep.equal({ kind: "link", targets });
    });

    it("is unknown by another id", async () => {
      expect(await findRequest(store.pool, "00000000-0000-4000-8000-000000000000")).to.equal(undefined);
      expect(await findCreation(store.pool, wordOf("nothing"))).to.equal(undefined);
    });
  });

  describe("given one fact alone", () => {
    const alone = async (id: string, fact: Partial<Facts>) =>
      expect(await factsOf(id)).to.deep.equal({ ...nothing, ...fact });

    it("has none when nothing has happened", async () => {
      await alone(await store.write((tx) => requestCreation(tx, "a")), {});
    });

    it("has the final block from the cursor", async () => {
      const id = await store.write(async (tx) => {
        await chainOf(tx, 5, 3);
        return requestCreation(tx, "a");
      });
      await alone(id, { finalBlock: 3 });
    });

    it("has its effect from the asset on the chain, with block, time and transaction", async () => {
      const id = await store.write(async (tx) => {
        await chainOf(tx, 5);
        await addAsset(tx, "a", position(3));
        return requestCreation(tx, "a");
      });
      await alone(id, { effect: 3 });
      expect(await found(store.pool, id)).to.include({
        transactionHash: position(3).transactionHash,
        blockNumber: 3,
        blockTime: timeOf(3),
        confirmations: 3,
      });
    });

    it("has no effect from another asset", async () => {
      const id = await store.write(async (tx) => {
        await chainOf(tx, 5);
        await addAsset(tx, "b", position(3));
        return requestCreation(tx, "a");
      });
      await alone(id, {});
    });

    it("is signed when its signed transaction is stored", async () => {
      const id = await store.write((tx) => requestCreation(tx, "a"));
      await store.write((tx) => storeSigned(tx, id, signed("t", 0)));
      await alone(id, { signed: true, nonces: { known: 1, open: 1, passed: undefined } });
      expect(await found(store.pool, id)).to.include({ transactionHash: wordOf("t") });
    });

    it("is accepted, and not signed, when the node shows its transaction", async () => {
      const id = await store.write((tx) => requestCreation(tx, "a"));
      await store.write((tx) =>
        recordAccepted(tx, { hash: wordOf("t"), requestId: id, nonce: 0, nextAttemptSeconds: 5 }),
      );
      await alone(id, { accepted: true, nonces: { known: 1, open: 1, passed: undefined } });
    });

    it("has nothing from a reported hash, which is only shown", async () => {
      const id = await store.write((tx) => requestCreation(tx, "a"));
      await store.write((tx) => storeReportedHash(tx, id, wordOf("t")));
      await alone(id, {});
      expect(await found(store.pool, id)).to.include({ transactionHash: wordOf("t") });
    });

    it("is refused when the refusal is stored, which stays the first", async () => {
      const id = await store.write((tx) => requestCreation(tx, "a"));
      await store.write((tx) => storeRefusal(tx, id, "0xaa"));
      await store.write((tx) => storeRefusal(tx, id, "0xbb"));
      await alone(id, { refused: true });
      const { rows } = await store.pool.query("select refusal_signature as one from service.requests");
      expect(rows).to.deep.equal([{ one: Buffer.from("aa", "hex") }]);
    });

    it("is given up with the first reason", async () => {
      const id = await store.write((tx) => requestCreation(tx, "a"));
      await store.write((tx) => giveUp(tx, id, "FEE_TOO_LOW"));
      await store.write((tx) => giveUp(tx, id, "REJECTED"));
      await alone(id, { givenUp: "FEE_TOO_LOW" });
    });

    it("is reverted when a block executed one of its transactions in vain", async () => {
      const id = await store.write(async (tx) => {
        await chainOf(tx, 5);
        const one = await requestCreation(tx, "a");
        await storeSigned(tx, one, signed("t", 0));
        await insertRevert(tx, { hash: wordOf("t"), blockNumber: 4, reason: "OUT_OF_GAS" });
        return one;
      });
      const reverted = { block: 4, reason: "OUT_OF_GAS" };
      await alone(id, { signed: true, reverted, nonces: { known: 1, open: 1, passed: undefined } });
      expect(await found(store.pool, id)).to.include({ transactionHash: wordOf("t"), blockNumber: 4 });
    });
  });

  describe("given the clock", () => {
    const expired = async () => (await requestsExpired(store.pool, 250, undefined)).map(({ id }) => id);

    it("is given up as EXPIRED once its time is over and nobody signed", async () => {
      const late = await store.write((tx) => requestCreation(tx, "late", -1));
      const early = await store.write((tx) => requestCreation(tx, "early", 60));
      expect(await factsOf(late)).to.deep.equal({ ...nothing, overdue: true });
      expect(deriveState(await factsOf(late))).to.deep.equal({
        state: "RevokedByTxServer",
        reason: "EXPIRED",
      });
      expect(await factsOf(early)).to.deep.equal(nothing);
      expect(await expired()).to.deep.equal([late]);
    });

    it("is not given up when it was signed or seen in time", async () => {
      const id = await store.write((tx) => requestCreation(tx, "a", -1));
      await store.write((tx) => storeSigned(tx, id, signed("t", 0)));
      const nonces = { known: 1, open: 1, passed: undefined };
      expect(await factsOf(id)).to.deep.equal({ ...nothing, overdue: true, signed: true, nonces });
      expect(deriveState(await factsOf(id)).state).to.equal("TxSignatureSubmitted");
      expect(await expired()).to.deep.equal([]);
    });

    it("is given up as EXPIRED though a hash was reported, which proves nothing", async () => {
      const id = await store.write((tx) => requestCreation(tx, "a", -1));
      await store.write((tx) => storeReportedHash(tx, id, wordOf("t")));
      expect(deriveState(await factsOf(id))).to.deep.equal({ state: "RevokedByTxServer", reason: "EXPIRED" });
    });

    it("keeps the reason that it was given up for before", async () => {
      const id = await store.write((tx) => requestCreation(tx, "a", -1));
      await store.write((tx) => giveUp(tx, id, "REJECTED"));
      expect(await factsOf(id)).to.include({ givenUp: "REJECTED" });
    });

    it("is Committed, expired or not, once the chain has its effect", async () => {
      const id = await store.write((tx) => requestCreation(tx, "a", -1));
      await store.write(async (tx) => {
        await chainOf(tx, 5);
        await addAsset(tx, "a", position(5));
      });
      expect(deriveState(await factsOf(id))).to.deep.equal({ state: "Committed" });
    });
  });

  describe("given nonces", () => {
    const nonceUsed = async (id: string) => noncesUsedAt(await factsOf(id)) !== undefined;

    async function withTransactions(...nonces: number[]): Promise<string> {
      return store.write(async (tx) => {
        await chainOf(tx, 9);
        const id = await requestCreation(tx, "a");
        for (const nonce of nonces) await storeSigned(tx, id, signed(`t${nonce}`, nonce));
        return id;
      });
    }
    const sentBy = (blockNumber: number, count: number, account = owner) =>
      store.write((tx) => insertNonces(tx, blockNumber, new Map([[account.address, count]])));

    it("is not passed by as many transactions as its nonce", async () => {
      const id = await withTransactions(7);
      await sentBy(3, 7);
      expect(await nonceUsed(id)).to.equal(false);
    });

    it("is passed by one transaction more", async () => {
      const id = await withTransactions(7);
      await sentBy(3, 8);
      expect(await nonceUsed(id)).to.equal(true);
    });

    it("is not passed by another account's", async () => {
      const id = await withTransactions(7);
      await sentBy(3, 8, other);
      expect(await nonceUsed(id)).to.equal(false);
    });

    it("is passed only when the nonce of every known transaction is", async () => {
      const id = await withTransactions(7, 9);
      await sentBy(3, 8);
      expect(await nonceUsed(id)).to.equal(false);
      await sentBy(4, 10);
      expect(await nonceUsed(id)).to.equal(true);
    });

    it("is not passed while a transaction with an unknown nonce may still be mined", async () => {
      const id = await withTransactions(7);
      await store.write((tx) =>
        recordAccepted(tx, {
          hash: wordOf("unknown"),
          requestId: id,
          nonce: undefined,
          nextAttemptSeconds: 5,
        }),
      );
      await sentBy(3, 8);
      expect(await nonceUsed(id)).to.equal(false);
    });

    it("is not passed where no transaction is known", async () => {
      const id = await withTransactions();
      await sentBy(3, 8);
      expect(await nonceUsed(id)).to.equal(false);
    });

    for (const [by, end] of [
      ["the service", { state: "RevokedByTxServer", reason: "DROPPED" }],
      ["its author", { state: "RevokedByUser", reason: "REFUSED" }],
    ] as const) {
      it(`stays as ${by} ended it, whatever the chain does with its transactions`, async () => {
        const id = await withTransactions(7);
        await store.write(async (tx) => {
          if (by === "the service") await giveUp(tx, id, end.reason);
          else await storeRefusal(tx, id, "0x01");
          await insertRevert(tx, { hash: wordOf("t7"), blockNumber: 3, reason: "REVERTED" });
        });
        await sentBy(3, 8);
        expect(deriveState(await factsOf(id))).to.deep.equal(end);
      });
    }

    it("ends for good when the block that passed the last of them is final", async () => {
      const id = await withTransactions(7, 8);
      await sentBy(3, 8);
      await sentBy(6, 9);
      await store.write((tx) => finalUpTo(tx, 5));
      expect(isSettled(await factsOf(id))).to.equal(false);
      await store.write((tx) => finalUpTo(tx, 6));
      expect(isSettled(await factsOf(id))).to.equal(true);
    });

    it("is no longer passed when a reorg removes the block that passed it", async () => {
      const id = await withTransactions(7);
      await sentBy(3, 7);
      await sentBy(6, 8);
      await store.write((tx) => deleteBlocksAbove(tx, 5));
      expect(await nonceUsed(id)).to.equal(false);
      await store.write((tx) => insertBlocks(tx, [block(6, " again")]));
      await sentBy(6, 8);
      expect(await nonceUsed(id)).to.equal(true);
    });
  });

  describe("given several transactions", () => {
    it("shows the one that the node had last, before one that it has not", async () => {
      const id = await store.write((tx) => requestCreation(tx, "a"));
      await store.write((tx) => storeSigned(tx, id, signed("first", 0)));
      await store.write((tx) => storeSigned(tx, id, signed("second", 0)));
      expect((await found(store.pool, id)).transactionHash).to.equal(wordOf("second"));
      const accept = (word: string) =>
        store.write((tx) =>
          recordAccepted(tx, { hash: wordOf(word), requestId: id, nonce: 0, nextAttemptSeconds: 5 }),
        );
      await accept("first");
      expect((await found(store.pool, id)).transactionHash).to.equal(wordOf("first"));
      await accept("second");
      expect((await found(store.pool, id)).transactionHash).to.equal(wordOf("second"));
    });
  });

  describe("for links", () => {
    const [parent, a, b] = ["parent", "a", "b"].map(assetIdFor) as [Hex, Hex, Hex];
    const targets = (...pairs: [child: Hex, nth: number][]) => pairs.map(([child, nth]) => ({ child, nth }));

    beforeEach(() => store.write((tx) => chainOf(tx, 9)));

    const ask = (kind: "link" | "revoke", ...pairs: [child: Hex, nth: number][]) =>
      store.write((tx) => requestLinkChange(tx, parent, { kind, targets: targets(...pairs) }));
    const link = (child: Hex, at: number, logIndex = 0, from = parent) =>
      store.write((tx) => changeLink(tx, "added", from, child, position(at, logIndex)));
    const revoke = (child: Hex, at: number, logIndex = 0) =>
      store.write((tx) => changeLink(tx, "revoked", parent, child, position(at, logIndex)));
    const effect = async (id: string) => (await factsOf(id)).effect;

    it("has its effect only when every target is linked, at the block of the last", async () => {
      const id = await ask("link", [a, 1], [b, 1]);
      await link(b, 6, 2);
      expect(await effect(id)).to.equal(undefined);
      await link(a, 4, 1);
      expect(await effect(id)).to.equal(6);
      expect(await found(store.pool, id)).to.include({ transactionHash: position(6, 2).transactionHash });
    });

    it("has no effect from the link of another parent, or in the other direction", async () => {
      const id = await ask("link", [a, 1]);
      await link(a, 3, 0, b);
      await link(parent, 3, 1, a);
      expect(await effect(id)).to.equal(undefined);
    });

    it("revokes only when every link is revoked, at the block of the last", async () => {
      const id = await ask("revoke", [a, 1], [b, 1]);
      await link(a, 1);
      await link(b, 1, 1);
      await revoke(a, 5);
      expect(await effect(id)).to.equal(undefined);
      await revoke(b, 4);
      expect(await effect(id)).to.equal(5);
      expect(await found(store.pool, id)).to.include({ transactionHash: position(5).transactionHash });
    });

    it("keeps each turn of link, revoke, link apart by its count", async () => {
      const turns = [await ask("link", [a, 1]), await ask("revoke", [a, 1]), await ask("link", [a, 2])];
      const effects = () => Promise.all(turns.map(effect));
      await link(a, 2);
      expect(await effects()).to.deep.equal([2, undefined, undefined]);
      await revoke(a, 3);
      expect(await effects()).to.deep.equal([2, 3, undefined]);
      await link(a, 5);
      expect(await effects()).to.deep.equal([2, 3, 5]);
      await revoke(a, 6);
      expect(await effects()).to.deep.equal([2, 3, 5]);
      await store.write((tx) => deleteBlocksAbove(tx, 2));
      expect(await effects()).to.deep.equal([2, undefined, undefined]);
    });

    it("has its effect by a transaction of its own, though a reorg has taken the turns before it", async () => {
      const own = async (id: string, { transactionHash: hash }: Position, nonce: number) =>
        store.write((tx) => storeSigned(tx, id, { hash, raw: "0x02", nonce, description: undefined }));
      const [again, revocation] = [await ask("link", [a, 2]), await ask("revoke", [a, 2])];
      // As a reorg leaves them whose ancestor is block 3.
      await store.pool.query("update service.requests set after_block = 3 where asset_id = $1", [
        Buffer.from(parent.slice(2), "hex"),
      ]);
      await link(a, 4);
      await revoke(a, 6, 1);
      expect([await effect(again), await effect(revocation)]).to.deep.equal([undefined, undefined]);
      // The transaction that added a link revokes nothing.
      await own(revocation, position(4), 6);
      expect(await effect(revocation)).to.equal(undefined);
      await own(again, position(4), 7);
      await own(revocation, position(6, 1), 8);
      expect([await effect(again), await effect(revocation)]).to.deep.equal([4, 6]);
      const { transactionHash } = position(6, 1);
      expect(await found(store.pool, revocation)).to.include({ transactionHash });
    });

    it("asks for the fate of a revocation's transaction again when a reorg removes that alone", async () => {
      const id = await ask("revoke", [a, 1]);
      await link(a, 3);
      await revoke(a, 5);
      await store.write((tx) => tieTransactions(tx, [id]));
      expect(await transactionsUnderWay(store.pool)).to.deep.equal([]);
      await store.write((tx) => deleteBlocksAbove(tx, 4));
      const { transactionHash: hash } = position(5);
      expect((await transactionsUnderWay(store.pool)).map((sent) => sent.hash)).to.deep.equal([hash]);
    });

    it("tells one log's turn from another's within one block", async () => {
      const again = await ask("link", [a, 2]);
      await link(a, 4, 0);
      await revoke(a, 4, 1);
      await link(a, 4, 2);
      expect(await found(store.pool, again)).to.include({ transactionHash: position(4, 2).transactionHash });
    });
  });

  describe("among others", () => {
    const targets = [{ child: wordOf("child"), nth: 1 }];

    it("is open for exactly its change of links until it is settled, for its tenant only", async () => {
      const more = [{ child: wordOf("sibling"), nth: 1 }, ...targets];
      const ids = await store.write(async (tx) => [
        await requestLinkChange(tx, wordOf("parent"), { kind: "link", targets: more }),
        await requestLinkChange(tx, wordOf("parent"), { kind: "link", targets: more.toReversed() }),
      ]);
      await store.write(async (tx) => {
        await requestLinkChange(tx, wordOf("another"), { kind: "link", targets: more });
        await requestLinkChange(tx, wordOf("parent"), { kind: "revoke", targets: more });
        await requestLinkChange(tx, wordOf("parent"), { kind: "link", targets });
        await requestLinkChange(tx, wordOf("parent"), {
          kind: "link",
          targets: more.map((one) => ({ ...one, nth: 2 })),
        });
        await requestLinkChange(tx, wordOf("parent"), {
          kind: "link",
          targets: [...more, { child: wordOf("third"), nth: 1 }],
        });
        await requestCreation(tx, "parent");
      });
      const wanted = { kind: "link", parent: wordOf("parent"), targets: more } as const;
      const open = async (tenant = "acme") =>
        (await openLinkRequests(store.pool, tenant, wanted)).map(({ id }) => id);
      expect(await open()).to.have.members(ids);
      expect(await open("globex")).to.deep.equal([]);
      await store.write((tx) => markSettled(tx, ids.slice(0, 1), true));
      expect(await open()).to.deep.equal(ids.slice(1));
    });

    it("tells which assets a tenant asked for", async () => {
      await store.write((tx) => requestCreation(tx, "a"));
      const ids = [assetIdFor("a"), assetIdFor("b")];
      expect(await assetsRequested(store.pool, "acme", ids)).to.deep.equal(new Set([assetIdFor("a")]));
      expect(await assetsRequested(store.pool, "globex", ids)).to.deep.equal(new Set());
    });

    it("is touched by a block when a transaction of it is under way, or its asset is concerned", async () => {
      const [underWay, ended, idle] = await store.write(async (tx) => [
        await requestCreation(tx, "under way"),
        await requestCreation(tx, "ended"),
        await requestCreation(tx, "idle"),
      ]);
      await store.write(async (tx) => {
        await storeSigned(tx, underWay ?? "", signed("t", 0));
        await storeSigned(tx, ended ?? "", signed("u", 1));
        await markSettled(tx, [ended ?? ""], true);
      });
      expect(await requestsTouched(store.pool, {})).to.have.members([underWay]);
      const assets = [assetIdFor("ended"), assetIdFor("idle")];
      expect(await requestsTouched(store.pool, { assets })).to.have.members([underWay, ended, idle]);
    });

    for (const kind of ["link", "revoke"] as const) {
      it(`that was refused is touched once the last ${kind} of its change is made all the same, and undone`, async () => {
        const parent = wordOf("parent");
        const children = [wordOf("a"), wordOf("b")] as const;
        const links = (nth: 0 | 1) => [{ parent, child: children[nth] }];
        const id = await store.write(async (tx) => {
          await chainOf(tx, 8, 1);
          if (kind === "revoke") {
            for (const [nth, child] of children.entries())
              await changeLink(tx, "added", parent, child, position(2, nth));
          }
          const targets = children.map((child) => ({ child, nth: 1 }));
          const one = await requestLinkChange(tx, parent, { kind, targets });
          await storeRefusal(tx, one, "0x01");
          await recordStates(tx, [one]);
          return one;
        });
        const change = (nth: 0 | 1, at: number) =>
          store.write(async (tx) => {
            await changeLink(tx, kind === "link" ? "added" : "revoked", parent, children[nth], position(at));
            const touched = await requestsTouched(tx, { links: links(nth) });
            await recordStates(tx, touched);
            return touched;
          });
        expect((await found(store.pool, id)).settled).to.equal(true);
        expect(await change(0, 4)).to.deep.equal([]);
        expect(await change(1, 6)).to.deep.equal([id]);
        expect((await found(store.pool, id)).noted?.state).to.equal("Committed");
        expect(await store.write((tx) => deleteBlocksAbove(tx, 5))).to.deep.equal([id]);
        await store.write((tx) => recordStates(tx, [id]));
        expect((await found(store.pool, id)).noted?.state).to.equal("RevokedByUser");
        expect(await store.write((tx) => deleteBlocksAbove(tx, 3))).to.deep.equal([]);
      });
    }

    describe("whose asset is on the chain, and noted so", () => {
      let id: string;
      beforeEach(async () => {
        id = await store.write(async (tx) => {
          await chainOf(tx, 6, 3);
          const one = await requestCreation(tx, "a");
          await storeSigned(tx, one, signed("t", 0));
          await addAsset(tx, "a", position(5));
          return one;
        });
      });
      const touched = () => requestsTouched(store.pool, {});

      it("is left alone by blocks until that is final", async () => {
        expect(await touched()).to.deep.equal([id]);
        await store.write((tx) => recordStates(tx, [id]));
        expect(await touched()).to.deep.equal([]);
        expect(await requestsTouched(store.pool, { assets: [assetIdFor("a")] })).to.deep.equal([id]);
        await store.write((tx) => finalUpTo(tx, 5));
        expect(await touched()).to.deep.equal([id]);
      });

      it("is touched once a reorg has removed it, and where the service has given it up", async () => {
        await store.write((tx) => recordStates(tx, [id]));
        await store.write((tx) => giveUp(tx, id, "REJECTED"));
        expect(await touched()).to.deep.equal([id]);
        await store.write((tx) => takeUp(tx, [id]));
        expect(await touched()).to.deep.equal([]);
        await store.write((tx) => deleteBlocksAbove(tx, 4));
        expect(await touched()).to.deep.equal([id]);
      });
    });
  });

  describe("whose effect was made by an unknown transaction", () => {
    it("knows that transaction once it is tied, so that a reorg leaves it Submitted", async () => {
      const id = await store.write(async (tx) => {
        await createIndexPosition(tx, {
          ...registry,
          registry: registry.address,
          startBlock: 0,
          headNumber: 9,
        });
        await insertBlocks(tx, [block(3)]);
        const one = await requestCreation(tx, "a", -1);
        await addAsset(tx, "a", position(3));
        await tieTransactions(tx, [one]);
        return one;
      });
      await store.write((tx) => deleteBlocksAbove(tx, 2));
      expect(deriveState(await factsOf(id))).to.deep.equal({ state: "Submitted" });
      expect(await found(store.pool, id)).to.include({ transactionHash: position(3).transactionHash });
    });
  });
});
