import { expect } from "chai";
import { deleteBlocksAbove } from "../../../db/chain/blocks.ts";
import {
  buildDeferredIndexes,
  dropDeferredIndexes,
  OrphanedRowsError,
} from "../../../db/chain/deferred-indexes.ts";
import { missingParts, rowsWithoutBlock, undoLeftAbove } from "../../../db/chain/integrity.ts";
import { useDatabase } from "../rows.ts";

describe("what holds the index together", () => {
  const store = useDatabase();
  const make = () => buildDeferredIndexes(store.pool, () => {});

  /** One row in each table that hangs on blocks, of block 5 and of block 7. */
  const fill = (numbers: readonly number[] = [5, 7]) =>
    store.write(async (tx) => {
      for (const number of numbers) {
        const byte = String(number);
        await tx.query(`
          insert into chain.blocks values (${byte}, sha256('${byte}'), sha256('p${byte}'), ${byte});
          insert into chain.assets (id, author, salt, content_hash, name, data, file_name, file_type, file_size, method,
            hash, uri, block_number, transaction_index, log_index, transaction_hash, name_key)
          values (sha256('a${byte}'), substring(sha256('b') from 1 for 20), sha256('s'), sha256('c'), '', '', '', '', '',
            '', '', '', ${byte}, 0, 0, sha256('t${byte}'), '');
          insert into chain.links (parent, child, nth, block_number, transaction_index, log_index, transaction_hash)
          values (sha256('l${byte}'), sha256('c'), 1, ${byte}, 0, 1, sha256('t'));
          insert into chain.cancellations values (substring(sha256('b') from 1 for 20), sha256('s'), ${byte}, 0, 2, sha256('t'));
          insert into chain.reverts values (sha256('r${byte}'), ${byte}, 'REVERTED');
          insert into chain.nonces values (substring(sha256('b') from 1 for 20), ${byte}, 1);
          insert into chain.undecoded_logs values (${byte}, 3, sha256('t'), '{}', '', 'none')`);
      }
      await tx.query(`
        insert into chain.links values (sha256('revoked'), sha256('c'), 1, 5, 0, 4, sha256('t'), 7, 0, 5, sha256('t'))`);
    });

  async function countByTable(): Promise<Record<string, number>> {
    const tables = ["assets", "links", "cancellations", "reverts", "nonces", "undecoded_logs"];
    const counts = tables.map((table) => `(select count(*) from chain.${table}) as ${table}`);
    const { rows } = await store.pool.query(`select ${counts.join(", ")}, (
      select count(*) from chain.links where revoked_block is not null) as revoked`);
    return rows[0];
  }

  const oneOfEach = {
    assets: 1,
    links: 2,
    cancellations: 1,
    reverts: 1,
    nonces: 1,
    undecoded_logs: 1,
    revoked: 0,
  };

  it("is every index, key and foreign key that the migrations made", async () => {
    expect(await missingParts(store.pool)).to.deep.equal([]);
    const { rows } = await store.pool.query<{ name: string; drop: string }>(`
      select conname as name, format('alter table %s drop constraint %I cascade', conrelid::regclass, conname) as drop
      from pg_constraint where connamespace = 'chain'::regnamespace and contype in ('p', 'u', 'f')
      union all
      select relname, format('drop index %s', indexrelid::regclass)
      from pg_index join pg_class on pg_class.oid = indexrelid
      where relnamespace = 'chain'::regnamespace and not exists (select from pg_constraint where conindid = indexrelid)`);
    expect(rows).to.have.length.above(25);
    for (const { name, drop } of rows) {
      const client = await store.pool.connect();
      await client.query("begin");
      await client.query(drop);
      expect(await missingParts(client), name).to.include(name);
      await client.query("rollback");
      client.release();
    }
  });

  it("may be put off in part while the index is filled", async () => {
    await store.write(dropDeferredIndexes);
    expect(await missingParts(store.pool, true)).to.deep.equal([]);
    expect(await missingParts(store.pool)).to.have.length(14);
    await make();
    expect(await missingParts(store.pool)).to.deep.equal([]);
  });

  it("leaves nothing above the ancestor of a reorg", async () => {
    await fill();
    await store.write(async (tx) => {
      await deleteBlocksAbove(tx, 5);
      expect([...(await undoLeftAbove(tx, 5))]).to.deep.equal([]);
    });
    expect(await countByTable()).to.deep.equal(oneOfEach);
  });

  it("leaves nothing there where every foreign key is missing, and says what it had to remove", async () => {
    await fill();
    const { rows } = await store.pool.query<{ drop: string; make: string }>(`
      select format('alter table %s drop constraint %I', conrelid::regclass, conname) as drop,
        format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) as make
      from pg_constraint where connamespace = 'chain'::regnamespace and contype = 'f'`);
    for (const { drop } of rows) await store.pool.query(drop);
    await store.write(async (tx) => {
      await deleteBlocksAbove(tx, 5);
      expect(await rowsWithoutBlock(tx)).to.deep.equal([
        "assets.block_number: 1 rows, the first of block 7",
        "cancellations.block_number: 1 rows, the first of block 7",
        "links.block_number: 1 rows, the first of block 7",
        "links.revoked_block: 1 rows, the first of block 7",
        "nonces.block_number: 1 rows, the first of block 7",
        "reverts.block_number: 1 rows, the first of block 7",
        "undecoded_logs.block_number: 1 rows, the first of block 7",
      ]);
      expect([...(await undoLeftAbove(tx, 5))]).to.deep.equal([
        ["assets", 1],
        ["links", 2],
        ["cancellations", 1],
        ["reverts", 1],
        ["nonces", 1],
        ["undecoded_logs", 1],
      ]);
      expect(await rowsWithoutBlock(tx)).to.deep.equal([]);
    });
    expect(await countByTable()).to.deep.equal(oneOfEach);
    for (const { make: text } of rows) await store.pool.query(text);
  });

  it("is not made over rows that an earlier reorg has left behind", async () => {
    await store.write(dropDeferredIndexes);
    await fill();
    await store.pool.query("delete from chain.blocks where number = 7");
    const error = await make().catch((caught) => caught);
    expect(error).to.be.instanceOf(OrphanedRowsError);
    expect(error.message).to.include("npm run reindex");
    await store.pool.query("delete from chain.assets; delete from chain.links");
    await make();
  });
});
