import { expect } from "chai";
import {
  createIndexPosition,
  lockIndexPosition,
  moveIndexPosition,
  moveIndexPositionBack,
  recordHalt,
  recordHead,
} from "../../../db/chain/index-position.ts";
import { readIndexPosition } from "../../../db/reads/index-position.ts";
import { markSettled } from "../../../db/service/requests/endings.ts";
import { block, found, registry, requestCreation, useDatabase } from "../rows.ts";

describe("the cursor of the index", () => {
  const store = useDatabase();
  const begin = (startBlock = 7) =>
    store.write((tx) =>
      createIndexPosition(tx, {
        chainId: registry.chainId,
        registry: registry.address,
        startBlock,
        headNumber: 20,
      }),
    );

  it("is absent before the indexer ran", async () => {
    expect(await readIndexPosition(store.pool)).to.equal(undefined);
    expect(await store.write(lockIndexPosition)).to.equal(undefined);
  });

  it("begins in front of the start block, with nothing final", async () => {
    await begin();
    expect(await readIndexPosition(store.pool)).to.deep.include({
      chainId: registry.chainId,
      registry: registry.address,
      startBlock: 7,
      blockNumber: 6,
      blockHash: undefined,
      finalNumber: -1,
      headNumber: 20,
      haltedReason: undefined,
    });
  });

  it("begins at the first block of the chain, too", async () => {
    await begin(0);
    expect(await readIndexPosition(store.pool)).to.include({ blockNumber: -1 });
  });

  it("is one: another is refused", async () => {
    await begin();
    expect(await begin().catch((reason: unknown) => reason)).to.include({ code: "23505" });
  });

  it("looks again at requests that an earlier index settled", async () => {
    const id = await store.write((tx) => requestCreation(tx, "a"));
    await store.write((tx) => markSettled(tx, [id], true));
    await begin();
    expect((await found(store.pool, id)).settled).to.equal(false);
  });

  it("moves, there and back", async () => {
    await begin();
    const there = { blockNumber: 2 ** 31 + 5, blockHash: block(2 ** 31 + 5).hash };
    await store.write((tx) => moveIndexPosition(tx, { ...there, finalNumber: 2 ** 31 }));
    expect(await readIndexPosition(store.pool)).to.include({ ...there, finalNumber: 2 ** 31 });
    const back = { blockNumber: 9, blockHash: block(9).hash };
    await store.write((tx) => moveIndexPositionBack(tx, back));
    expect(await readIndexPosition(store.pool)).to.include({ ...back, finalNumber: 9 });
  });

  it("keeps what is final on the way forward, and has nothing final that it does not have", async () => {
    await begin();
    for (const [number, said, finalNumber] of [
      [20, 12, 12],
      [21, -1, 12],
      [22, 3, 12],
      [23, 99, 23],
    ] as const) {
      const to = { blockNumber: number, blockHash: block(number).hash };
      await store.write((tx) => moveIndexPosition(tx, { ...to, finalNumber: said }));
      expect(await readIndexPosition(store.pool)).to.include({ ...to, finalNumber });
    }
  });

  it("notes the head and the depth, and that the indexer goes on", async () => {
    await begin();
    await recordHalt(store.pool, "the chain is another");
    expect(await readIndexPosition(store.pool)).to.include({ haltedReason: "the chain is another" });
    await recordHead(store.pool, 33, 12);
    expect(await readIndexPosition(store.pool)).to.include({
      headNumber: 33,
      confirmations: 12,
      haltedReason: undefined,
    });
    await recordHead(store.pool, 34, "finalized");
    expect(await readIndexPosition(store.pool)).to.include({ headNumber: 34, confirmations: "finalized" });
  });

  it("takes a chain id beyond 32 bits", async () => {
    await store.write((tx) =>
      createIndexPosition(tx, {
        chainId: 123_220_401_683,
        registry: registry.address,
        startBlock: 0,
        headNumber: 0,
      }),
    );
    expect(await readIndexPosition(store.pool)).to.include({ chainId: 123_220_401_683 });
  });

  it("keeps every other writer out while one holds it", async () => {
    await begin();
    const order: string[] = [];
    const first = store.write(async (tx) => {
      await lockIndexPosition(tx);
      await tx.query("select pg_sleep(0.1)");
      await moveIndexPosition(tx, { blockNumber: 9, blockHash: block(9).hash, finalNumber: 4 });
      order.push("first");
    });
    const second = store.write(async (tx) => {
      await tx.query("select pg_sleep(0.03)");
      const cursor = await lockIndexPosition(tx);
      order.push(`second sees ${cursor?.blockNumber}`);
    });
    await Promise.all([first, second]);
    expect(order).to.deep.equal(["first", "second sees 9"]);
  });
});
