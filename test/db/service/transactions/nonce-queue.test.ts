import { expect } from "chai";
import type { Hex } from "viem";
import { giveUp, storeRefusal } from "../../../../db/service/requests/endings.ts";
import { recordStates } from "../../../../db/service/requests/history.ts";
import { readLine } from "../../../../db/service/transactions/nonce-queue.ts";
import { storeSigned } from "../../../../db/service/transactions/signed.ts";
import { chainOf, found, requestCreation, useDatabase, wordOf } from "../../rows.ts";

describe("the nonces that an author's transactions hold", () => {
  const store = useDatabase();
  let asking: string;

  beforeEach(async () => {
    asking = await store.write(async (tx) => {
      await chainOf(tx, 4);
      const [asks, open, refused, dropped] = [
        await requestCreation(tx, "asks"),
        await requestCreation(tx, "open"),
        await requestCreation(tx, "refused"),
        await requestCreation(tx, "dropped"),
      ];
      for (const [place, id] of [open, refused, dropped].entries()) {
        const hash = wordOf(`transaction ${place}`);
        await storeSigned(tx, id, { hash, raw: "0x02", nonce: place, description: undefined });
      }
      await storeRefusal(tx, refused, "0x01");
      await giveUp(tx, dropped, "DROPPED");
      await recordStates(tx, [asks, open, refused, dropped]);
      return asks;
    });
  });

  const held = async (): Promise<{ nonce: number; hash: Hex }[]> =>
    (await readLine(store.pool, await found(store.pool, asking), wordOf("none"))).held.map(
      ({ nonce, hash }) => ({ nonce, hash }),
    );
  const ofOpen = [{ nonce: 0, hash: wordOf("transaction 0") }];

  it("are those of requests that go on, not of what was refused or given up", async () => {
    expect(await held()).to.deep.equal(ofOpen);
  });

  it("are the same while a new index, which settles requests anew, reads the chain", async () => {
    await store.write(async (tx) => {
      await tx.query("delete from chain.cursor");
      await tx.query("delete from chain.blocks");
      await chainOf(tx, 0);
    });
    const { rows } = await store.pool.query("select from service.requests where settled");
    expect(rows).to.deep.equal([]);
    expect(await held()).to.deep.equal(ofOpen);
  });
});
