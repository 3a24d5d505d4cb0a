import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { findRequest } from "../../../../db/service/requests/find.ts";
import { insertCreation, type NewCreation } from "../../../../db/service/requests/insert-creation.ts";
import { mapDetails } from "../../../../domain/asset/asset.ts";
import { hashAsset, rawDetails } from "../../../support/asset-id.ts";
import { other, owner } from "../../../support/chain/accounts.ts";
import { historyOf } from "../../../support/database/history.ts";
import { assetIdFor, chainOf, registry, useDatabase, wordOf } from "../../rows.ts";

describe("storing a request for a new asset", () => {
  const store = useDatabase();
  const details = mapDetails((field) => (field === "data" ? "" : `its ${field}`));
  const salt = wordOf("salt");

  const creation = (): NewCreation => ({
    id: randomUUID(),
    tenant: "acme",
    author: owner.address,
    assetId: assetIdFor("a"),
    contentHash: hashAsset(owner.address, salt, rawDetails(details)),
    registry,
    calldata: "0x01",
    ttl: 600,
    change: { kind: "create", salt, details },
  });

  for (const [when, length] of [
    ["before there is an index", undefined],
    ["beside an index", 7],
  ] as const) {
    it(`answers what would be read of it, ${when}`, async () => {
      if (length !== undefined) await store.write((tx) => chainOf(tx, length));
      const one = creation();
      const stored = await store.write((tx) => insertCreation(tx, one));
      expect(stored).to.deep.equal(await findRequest(store.pool, one.id));
      expect(await historyOf(store.pool, one.id)).to.deep.equal([
        {
          state: "Received",
          at: stored?.updatedAt,
          reason: undefined,
          transactionHash: undefined,
          blockNumber: undefined,
        },
      ]);
    });
  }

  it("is undone with the transaction that it is part of", async () => {
    const one = creation();
    await store
      .write(async (tx) => {
        expect(await insertCreation(tx, one)).to.have.property("id", one.id);
        throw new Error("the answer could not be kept");
      })
      .catch(() => undefined);
    expect(await findRequest(store.pool, one.id)).to.equal(undefined);
  });

  it("stores nothing where the index is of another registry or chain", async () => {
    await store.write((tx) => chainOf(tx, 3));
    for (const another of [
      { ...registry, chainId: 1 },
      { ...registry, address: other.address },
    ]) {
      const one = { ...creation(), registry: another };
      expect(await store.write((tx) => insertCreation(tx, one))).to.equal(undefined);
      expect(await findRequest(store.pool, one.id)).to.equal(undefined);
    }
  });
});
