import { readFile } from "node:fs/promises";
import { expect } from "chai";
import {
  buildDeferredIndexes,
  deferredIndexesMissing,
  dropDeferredIndexes,
} from "../../../db/chain/deferred-indexes.ts";
import { openPool } from "../../../db/core/pool.ts";
import { describeSchema, schemaFile } from "../../../scripts/schema.ts";
import { eventually } from "../../support/eventually.ts";
import { useDatabase } from "../rows.ts";

describe("what an index does without while it is filled", () => {
  const store = useDatabase();
  const make = async () => {
    const made: string[] = [];
    await buildDeferredIndexes(store.pool, (name) => made.push(name));
    return made;
  };

  afterEach(make);

  it("is every index and foreign key of assets and links, and comes back as the migrations made it", async () => {
    const whole = await readFile(schemaFile, "utf8");
    expect(await deferredIndexesMissing(store.pool)).to.equal(false);

    expect(await store.write(dropDeferredIndexes)).to.equal(true);
    expect(await deferredIndexesMissing(store.pool)).to.equal(true);
    const { rows } = await store.pool.query<{ name: string }>(
      `select indexrelid::regclass::text as name from pg_index
       where indrelid in ('chain.assets'::regclass, 'chain.links'::regclass)
       union all
       select conname from pg_constraint
       where conrelid in ('chain.assets'::regclass, 'chain.links'::regclass) and contype = 'f'
       order by name`,
    );
    expect(rows.map(({ name }) => name)).to.deep.equal(["chain.assets_pkey", "chain.links_pkey"]);

    expect(await make()).to.have.length(14);
    expect(await deferredIndexesMissing(store.pool)).to.equal(false);
    expect(await describeSchema(store.url)).to.equal(whole);
    expect(await make()).to.deep.equal([]);
  });

  it("is made to its end where a process was stopped in the middle", async () => {
    await store.write(dropDeferredIndexes);
    const stopped = buildDeferredIndexes(store.pool, (name) => {
      if (name === "assets_name_key_idx") throw new Error("stopped");
    });
    expect((await stopped.catch((error) => error)).message).to.equal("stopped");
    expect(await deferredIndexesMissing(store.pool)).to.equal(true);
    const rest = await make();
    expect(rest).to.include("assets_name_key_idx").and.to.have.length.below(13);
    expect(await describeSchema(store.url)).to.equal(await readFile(schemaFile, "utf8"));
  });

  it("ends in the middle of a part where the process is to stop, and the rest is made later", async () => {
    await store.write(dropDeferredIndexes);
    const stop = new AbortController();
    // A writer that each part waits for, as it would wait for a very long table.
    const writer = await store.pool.connect();
    await writer.query("begin; lock table chain.assets, chain.links in row exclusive mode");
    const begun: string[] = [];
    const made = buildDeferredIndexes(store.pool, (part) => begun.push(part), stop.signal);
    const waiting = async () => {
      const { rows } = await store.pool.query(
        "select count(*)::int as count from pg_locks where not granted and mode = 'ShareLock'",
      );
      return rows[0].count;
    };
    await eventually("two parts that are being made", waiting, (count) => count === 2);
    stop.abort();
    const error = await made.catch((caught) => caught);
    expect(error.code, "cancelled, and not for waiting too long").to.equal("57014");
    expect(begun).to.have.length(2);
    await writer.query("rollback");
    writer.release();
    await make();
    expect(await deferredIndexesMissing(store.pool)).to.equal(false);
  });

  it("stays where the tables belong to somebody else", async () => {
    await store.pool.query(`do $$ begin create role writer_only login; exception when duplicate_object then end $$;
      grant all on schema chain to writer_only; grant all on all tables in schema chain to writer_only`);
    const url = new URL(store.url);
    const pool = openPool(url.href, { application: "test", max: 1 });
    try {
      await pool.query("set role writer_only");
      const client = await pool.connect();
      expect(await dropDeferredIndexes(client)).to.equal(false);
      client.release();
      expect(await deferredIndexesMissing(store.pool)).to.equal(false);
    } finally {
      await pool.end();
      await store.pool.query("drop owned by writer_only; drop role writer_only");
    }
  });
});
