import { expect } from "chai";
import { pino } from "pino";
import {
  createRebuild,
  inRebuild,
  RebuildLostError,
  RebuildRefusedError,
  replaceIndex,
} from "../../../db/chain/rebuild.ts";
import { openPool, type Pool } from "../../../db/core/pool.ts";
import { readIndexPosition } from "../../../db/reads/index-position.ts";
import { runIndexer } from "../../../indexer/run.ts";
import { reindex } from "../../../indexer/sync/reindex.ts";
import { type Verdict, verifyIndex } from "../../../indexer/verify/verify.ts";
import { connectNode } from "../../../rpc/node.ts";
import { differences, indexRows } from "../../simulation/index-rows.ts";
import { expectedRows } from "../../simulation/oracle.ts";
import { createRandom } from "../../simulation/random.ts";
import { startWorld, type World } from "../../simulation/world.ts";
import { createDatabase, type TestDatabase } from "../../support/database/postgres.ts";
import { eventually } from "../../support/eventually.ts";

const log = pino({ level: "silent" });

describe("an index that is compared with the chain, and built again", () => {
  let world: World;
  let database: TestDatabase;
  let pool: Pool;
  let stopIndexer: () => Promise<void>;

  before(async () => {
    world = await startWorld(createRandom(11));
    // Long enough that some of it is too deep for a reorg.
    for (let block = 0; block < 24; block += 1) await world.block(4);
    await world.mine(120);
    for (let block = 0; block < 12; block += 1) await world.block(2);
    database = await createDatabase();
    pool = openPool(database.url, { application: "test" });
    const abort = new AbortController();
    const ended = runIndexer(
      {
        DATABASE_URL: database.url,
        RPC_URL: [world.anvil.url],
        REGISTRY_ADDRESS: world.registry.address,
        START_BLOCK: world.deployment.blockNumber,
        CONFIRMATIONS: 5,
        POLL_INTERVAL: 50,
        LEASE_SECONDS: 1,
      },
      log,
      abort.signal,
    );
    stopIndexer = async () => {
      abort.abort();
      await ended;
    };
    await caughtUp();
  });
  after(async () => {
    await stopIndexer();
    await pool.end();
    await database.drop();
    await world.stop();
  });

  const caughtUp = () =>
    eventually(
      "the head indexed",
      async () => (await readIndexPosition(pool))?.blockNumber,
      (block) => block === world.head,
    );

  async function verify(): Promise<Verdict & { lines: string[] }> {
    const lines: string[] = [];
    const report = { onDifference: (line: string) => lines.push(line), onProgress: () => {} };
    return { ...(await verifyIndex(pool, world.anvil.url, report)), lines };
  }

  const rebuild = () => reindex({ pool, node: connectNode([world.anvil.url]), log });

  async function expectEqual() {
    expect(
      differences(expectedRows(await world.readAll()), await indexRows(pool, world.registry)),
    ).to.deep.equal([]);
    expect((await verify()).lines).to.deep.equal([]);
  }

  describe("index:verify", () => {
    it("finds nothing where nothing differs, and has looked at every row", async () => {
      const { lines, differences: count, rows, upTo, unchecked } = await verify();
      expect(lines).to.deep.equal([]);
      expect({ count, upTo, unchecked }).to.deep.equal({ count: 0, upTo: world.head, unchecked: 0 });
      const assets = world.events.filter(({ kind }) => kind === "created").length;
      expect(rows).to.be.above(assets);
    });

    /** Breaks the index, looks, and repairs it by building it again. */
    for (const [what, sql, found] of [
      [
        "an asset that is missing",
        "delete from chain.assets where id = (select min(id) from chain.assets)",
        /^missing: asset/,
      ],
      [
        "a word that was changed",
        "update chain.assets set name = name || '!' where id = (select max(id) from chain.assets)",
        /^(missing|not on the chain): asset/,
      ],
      [
        "a key of the search that was changed",
        "update chain.assets set name_key = name_key || ' x' where id = (select max(id) from chain.assets)",
        /^(missing|not on the chain): asset/,
      ],
      [
        "an asset that nobody created",
        "insert into chain.assets select sha256(id), author, salt, content_hash, name, data, file_name, file_type, file_size, method, hash, uri, raw_details, block_number, transaction_index, 99, transaction_hash, name_key, file_digest from chain.assets limit 1",
        /^not on the chain: asset/,
      ],
      [
        "a link that is missing",
        "delete from chain.links where ctid = (select min(ctid) from chain.links)",
        /^missing: (link|revocation)/,
      ],
      [
        "a revocation that never was",
        "update chain.links set revoked_block = block_number, revoked_transaction_index = 0, revoked_log_index = log_index + 1, revoked_transaction_hash = transaction_hash where ctid = (select ctid from chain.links where revoked_block is null limit 1)",
        /^not on the chain: revocation/,
      ],
      [
        "a link counted wrongly",
        "update chain.links set nth = 7 where ctid = (select ctid from chain.links limit 1)",
        /^counted wrongly: pair/,
      ],
      [
        "a block's time",
        "update chain.blocks set timestamp = timestamp + 1 where number = (select min(number) from chain.blocks)",
        /^(missing|not on the chain): block/,
      ],
      [
        "a revert that never was",
        "insert into chain.reverts select sha256(hash), number, 'NOT_AUTHOR' from chain.blocks order by number desc limit 1",
        /^not on the chain: revert/,
      ],
      [
        "a log set aside without a reason",
        "insert into chain.undecoded_logs select number, 77, hash, array[hash], hash, 'none' from chain.blocks order by number desc limit 1",
        /^not on the chain: undecoded/,
      ],
      [
        "a foreign key that is missing",
        "alter table chain.nonces drop constraint nonces_block_number_fkey",
        /^not in the schema: nonces_block_number_fkey/,
      ],
      [
        "an index that is missing",
        "drop index chain.assets_name_key_idx",
        /^not in the schema: assets_name_key_idx/,
      ],
      [
        "a row without a block",
        `alter table chain.undecoded_logs drop constraint undecoded_logs_block_number_fkey;
         insert into chain.undecoded_logs
         select max(number) + 1000000, 0, sha256('t'), '{}', '', 'none' from chain.blocks`,
        /^without a block: undecoded_logs.block_number: 1 rows/,
      ],
    ] as const) {
      it(`finds ${what}, and reindex repairs it`, async () => {
        await pool.query(sql);
        const { lines, differences: count } = await verify();
        expect(count).to.be.above(0);
        expect(
          lines.some((line) => found.test(line)),
          lines.join("\n"),
        ).to.equal(true);
        await rebuild();
        await expectEqual();
      });
    }
  });

  describe("reindex", () => {
    it("lets the indexer go on and answers never miss, while it works and when it swaps", async () => {
      const asked = { times: 0, wrong: 0 };
      let done = false;
      const asking = (async () => {
        const { rows } = await pool.query("select count(*) as count from chain.assets");
        while (!done) {
          const now = await pool.query("select count(*) as count from chain.assets");
          asked.times += 1;
          if (now.rows[0].count < rows[0].count) asked.wrong += 1;
        }
      })();
      const mining = (async () => {
        for (let block = 0; block < 15; block += 1) await world.block(2);
      })();
      await rebuild();
      await mining;
      done = true;
      await asking;
      expect(asked.times).to.be.above(10);
      expect(asked.wrong).to.equal(0);
      await world.block(3);
      await caughtUp();
      await expectEqual();
    });

    it("leaves tables, constraints, indexes, rights and names as the migrations made them", async () => {
      await pool.query(
        "create role reader_of_index; grant usage on schema chain to reader_of_index; grant select on chain.assets to reader_of_index",
      );
      try {
        const before = await shape();
        await rebuild();
        expect(await shape()).to.deep.equal(before);
        const { rows } = await pool.query("select nspname from pg_namespace where nspname like 'chain%'");
        expect(rows).to.deep.equal([{ nspname: "chain" }]);
      } finally {
        await pool.query("drop owned by reader_of_index; drop role reader_of_index");
      }
    });

    it("keeps reverts and nonces that the chain confirms, and drops those that it contradicts", async () => {
      const author = `decode('${"11".repeat(20)}', 'hex')`;
      await pool.query(
        `insert into chain.nonces select ${author}, number, nonce from chain.blocks,
           (values (0, 0), (1, 5)) as sample (place, nonce)
         where number = (select max(number) - 10 - place from chain.blocks)`,
      );
      await rebuild();
      const { rows } = await pool.query(`select nonce from chain.nonces where address = ${author}`);
      expect(rows).to.deep.equal([{ nonce: 0 }]);
      await expectEqual();
    });

    it("given one that was ended half-way: leaves the live index alone, and the next one begins anew", async () => {
      const before = await indexRows(pool, world.registry);
      await createRebuild(pool, "a rebuild whose process is gone");
      await inRebuild(pool, "a rebuild whose process is gone", (tx) =>
        tx.query("insert into chain.blocks values (1, sha256('a'), sha256('b'), 1)"),
      );
      expect(differences(before, await indexRows(pool, world.registry))).to.deep.equal([]);
      await rebuild();
      await expectEqual();
    });

    it("given two at a time: the later one works, the earlier one stops and breaks nothing", async () => {
      await createRebuild(pool, "earlier");
      await createRebuild(pool, "later");
      const outcome = await inRebuild(pool, "earlier", async () => {}).catch((error) => error);
      expect(outcome).to.be.instanceOf(RebuildLostError);
      await expectEqual();
    });

    it("given a migration meanwhile: refuses to lose what it made, and works when it is run again", async () => {
      await createRebuild(pool, "before the migration");
      await pool.query("create index migrated_idx on chain.assets (file_type)");
      try {
        const outcome = await replaceIndex(pool, "before the migration", async () => {}).catch(
          (error) => error,
        );
        expect(outcome).to.be.instanceOf(RebuildRefusedError);
        expect(outcome.message).to.include("migrated_idx");
        await expectEqual();
        await rebuild();
        const { rows } = await pool.query("select to_regclass('chain.migrated_idx') is not null as kept");
        expect(rows).to.deep.equal([{ kept: true }]);
      } finally {
        await pool.query("drop index if exists chain.migrated_idx");
      }
    });

    it("given something in the schema that no migration made: refuses, and names it", async () => {
      await pool.query("create view chain.mine as select 1");
      try {
        const outcome = await rebuild().catch((error) => error);
        expect(outcome.message).to.match(/\(mine\)/);
      } finally {
        await pool.query("drop view chain.mine");
      }
    });
  });

  async function shape() {
    const { rows } = await pool.query(
      `select 'column' as kind, table_name || '.' || column_name || ' ' || data_type || ' ' || is_nullable || ' '
         || coalesce(column_default, '') as text
       from information_schema.columns where table_schema = 'chain'
       union all
       select 'constraint', conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid) from pg_constraint
       where connamespace = 'chain'::regnamespace
       union all
       select 'index', indexdef from pg_indexes where schemaname = 'chain'
       union all
       select 'grant', table_name || ' ' || grantee || ' ' || privilege_type from information_schema.role_table_grants
       where table_schema = 'chain'
       union all
       select 'comment', coalesce(obj_description('chain'::regnamespace), '')
       order by 1, 2`,
    );
    return rows;
  }
});
