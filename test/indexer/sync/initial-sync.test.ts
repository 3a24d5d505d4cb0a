import { readFile } from "node:fs/promises";
import { expect } from "chai";
import { pino } from "pino";
import { deferredIndexesMissing, dropDeferredIndexes } from "../../../db/chain/deferred-indexes.ts";
import { inTransaction } from "../../../db/core/pool.ts";
import { readIndexPosition } from "../../../db/reads/index-position.ts";
import type { AssetId } from "../../../domain/asset/asset.ts";
import { limits } from "../../../domain/limits.ts";
import { beginIndex } from "../../../indexer/sync/begin.ts";
import { reindex } from "../../../indexer/sync/reindex.ts";
import { createSync } from "../../../indexer/sync/sync.ts";
import { ChainMovedError } from "../../../rpc/errors/chain-errors.ts";
import { connectNode } from "../../../rpc/node.ts";
import { describeSchema, schemaFile } from "../../../scripts/schema.ts";
import { eventually } from "../../support/eventually.ts";
import { type Rig, startRig } from "../../support/rigs/rig.ts";

describe("an index that is filled from nothing", () => {
  let rig: Rig;

  beforeEach(async () => {
    rig = await startRig();
  });
  afterEach(() => rig.stop());

  /** Creates an asset in a block, without the index. */
  async function create(): Promise<AssetId> {
    const { id, asset } = await rig.requestCreation();
    await rig.send((await rig.sign((await rig.find(id)).calldata)).raw);
    await rig.mine();
    return asset;
  }

  /** A process that begins with the index as it finds it. */
  async function startSync() {
    const node = connectNode([rig.anvil.url]);
    const { registry } = rig;
    await beginIndex(rig.pool, node, {
      registry: registry.address,
      startBlock: rig.deployment.blockNumber,
    });
    return createSync({ pool: rig.pool, node, confirmations: 5, log: pino({ level: "silent" }) });
  }

  type Sync = Awaited<ReturnType<typeof startSync>>;
  const catchUp = async (sync: Sync) => {
    while (await sync.step().catch(isMoved));
  };
  /** A step may still begin from where the index was before another took its place. */
  const isMoved = (error: unknown): true => {
    if (error instanceof ChainMovedError) return true;
    throw error;
  };

  /** As far as no reorg is expected to reach. */
  const fill = async (sync: Sync) => {
    const until = Number(await rig.chain.getBlockNumber()) - limits.reorgDepth;
    while (((await readIndexPosition(rig.pool))?.blockNumber ?? 0) < until) await sync.step();
  };

  const indexed = async () => {
    const { rows } = await rig.pool.query<{ id: Buffer }>(
      "select id from chain.assets order by block_number",
    );
    return rows.map(({ id }) => `0x${id.toString("hex")}`);
  };

  /** Blocks that nothing hangs on and that no reorg reaches. */
  const emptyBlocks = async () => {
    const { rows } = await rig.pool.query<{ number: number }>(
      `select number from chain.blocks where number not in (select block_number from chain.assets)
         and number < (select block_number from chain.cursor) - $1`,
      [limits.reorgDepth],
    );
    return rows.map(({ number }) => number);
  };

  const expectWholeSchema = async () =>
    expect(await describeSchema(rig.database.url)).to.equal(await readFile(schemaFile, "utf8"));

  it("gets its indexes where it comes near the head, and is as one that had them all the time", async () => {
    const first = await create();
    await rig.mine(60);
    const second = await create();
    await rig.mine(150);
    const sync = await startSync();
    expect(await deferredIndexesMissing(rig.pool)).to.equal(true);
    await fill(sync);
    expect(await indexed()).to.deep.equal([first, second]);
    expect(await deferredIndexesMissing(rig.pool)).to.equal(true);
    await catchUp(sync);
    expect(await indexed()).to.deep.equal([first, second]);
    expect(await emptyBlocks()).to.deep.equal([]);
    await expectWholeSchema();
  });

  it("gets them from the process that goes on with it", async () => {
    const first = await create();
    await rig.mine(150);
    await (await startSync()).step();
    expect(await deferredIndexesMissing(rig.pool)).to.equal(true);
    const second = await create();
    await catchUp(await startSync());
    expect(await indexed()).to.deep.equal([first, second]);
    await expectWholeSchema();
  });

  it("loses what a reorg takes away in the middle", async () => {
    const kept = await create();
    await rig.mine(40);
    await create();
    await rig.mine(140);
    const sync = await startSync();
    await fill(sync);
    expect(await indexed()).to.have.length(2);
    expect(await deferredIndexesMissing(rig.pool)).to.equal(true);
    await rig.anvil.rpc("anvil_reorg", [150, []]);
    await catchUp(sync);
    expect(await indexed()).to.deep.equal([kept]);
    await expectWholeSchema();
  });

  it("gets the planner's statistics while it follows the head, which does not wait for them", async () => {
    const asset = await create();
    await rig.mine(150);
    const sync = await startSync();
    await fill(sync);
    // Enough rows for statistics.
    await rig.pool.query(
      `insert into chain.nonces (address, block_number, nonce)
       select substring(sha256(number::text::bytea) for 20), (select min(block_number) from chain.assets), number
       from generate_series(1, 2000) number`,
    );
    const statistics = async () => {
      const { rows } = await rig.pool.query<{ there: boolean }>(
        "select reltuples >= 2000 as there from pg_class where oid = 'chain.nonces'::regclass",
      );
      return rows[0]?.there;
    };
    await inTransaction(rig.pool, async (tx) => {
      await tx.query("set local idle_in_transaction_session_timeout = 0");
      await tx.query("lock table chain.nonces in share update exclusive mode");
      await sync.step();
      expect(await deferredIndexesMissing(rig.pool)).to.equal(false);
      expect(await statistics()).to.equal(false);
    });
    await eventually("the analysis", statistics, (there) => there === true);
    await rig.pool.query("delete from chain.nonces");
    await catchUp(sync);
    expect(await indexed()).to.deep.equal([asset]);
  });

  it("keeps them where the way is short", async () => {
    await create();
    await startSync();
    expect(await deferredIndexesMissing(rig.pool)).to.equal(false);
  });

  describe("and built again meanwhile", () => {
    const rebuild = async () => {
      const node = connectNode([rig.anvil.url]);
      await reindex({ pool: rig.pool, node, log: pino({ level: "silent" }) });
    };

    it("has all that it needs when the two have changed places, and loses what a reorg takes away", async () => {
      const kept = await create();
      await rig.mine(150);
      const sync = await startSync();
      await sync.step();
      expect(await deferredIndexesMissing(rig.pool)).to.equal(true);
      await rebuild();
      await expectWholeSchema();
      expect(await indexed()).to.deep.equal([kept]);
      await catchUp(sync);
      await create();
      await catchUp(sync);
      expect(await indexed()).to.have.length(2);
      await rig.anvil.rpc("anvil_reorg", [1, []]);
      await rig.mine(2);
      await catchUp(sync);
      expect(await indexed()).to.deep.equal([kept]);
      await expectWholeSchema();
    });

    it("takes the place of one that is far behind it", async () => {
      const asset = await create();
      await rig.mine(300);
      await (await startSync()).step();
      await rebuild();
      expect(await indexed()).to.deep.equal([asset]);
      const cursor = await readIndexPosition(rig.pool);
      expect(cursor?.finalNumber).to.equal((cursor?.blockNumber ?? 0) - 4);
      await catchUp(await startSync());
      expect(await emptyBlocks()).to.deep.equal([]);
    });

    it("is put in order at the next reorg where an older version has left it without its foreign keys", async () => {
      const kept = await create();
      await rig.mine(20);
      const sync = await startSync();
      await catchUp(sync);
      await create();
      await catchUp(sync);
      await inTransaction(rig.pool, dropDeferredIndexes);
      await rig.anvil.rpc("anvil_reorg", [1, []]);
      await rig.mine(2);
      await catchUp(sync);
      expect(await indexed()).to.deep.equal([kept]);
      await expectWholeSchema();
    });
  });
});
