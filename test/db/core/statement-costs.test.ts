import { expect } from "chai";
import { analyzeIndex, analyzeNewTables } from "../../../db/core/analyze.ts";
import { readStatuses } from "../../../db/reads/statuses.ts";
import { findDearStatements, jitAboveCost, sentStatements } from "../../support/runner/statement-costs.ts";
import { useDatabase, wordOf } from "../rows.ts";

describe("the cost of statements, which a hook of all tests looks at in the end", () => {
  const store = useDatabase();

  it("is noted with the line of db/ that sent them", async () => {
    await readStatuses(store.pool, [wordOf("an asset")]);
    const found = [...sentStatements].find(([text]) => text.includes("cursor.confirmations"));
    expect(found?.[1]).to.match(/^\/db\/reads\/by-ids\.ts:\d+$/);
  });

  it("is below what stock PostgreSQL compiles, and a join that multiplies guesses is not", async () => {
    expect(jitAboveCost).to.equal(100_000);
    const dear = new Map([
      ["select * from chain.assets cross join chain.cursor cross join chain.links", "a test"],
    ]);
    const found = await findDearStatements(dear);
    expect(found.filter((line) => line.includes("a test"))).not.to.deep.equal([]);
    expect(
      await findDearStatements(new Map([["select * from chain.cursor where chain_id = $1", "b"]])),
    ).to.deep.equal([]);
  });
});

describe("statistics of the planner", () => {
  const store = useDatabase();
  const withoutStatistics = async () =>
    (
      await store.pool.query<{ name: string }>(
        `select relname as name from pg_class where reltuples < 0 and relkind = 'r'
           and relnamespace in ('chain'::regnamespace, 'service'::regnamespace) order by name`,
      )
    ).rows.map(({ name }) => name);
  const forget = (table: string) =>
    store.pool.query("update pg_class set reltuples = -1 where oid = $1::regclass", [table]);
  /** More than the planner assumes of a table without statistics. */
  const fillBlocks = () =>
    store.pool.query(
      `insert into chain.blocks (number, hash, parent_hash, timestamp)
       select number, sha256(number::text::bytea), sha256(number::text::bytea), number
       from generate_series(1, 1000) number`,
    );

  it("are not made of small tables: a statement planned for an empty one reads all of it once it has grown", async () => {
    const before = await withoutStatistics();
    expect(before).to.include.members(["assets", "requests", "history"]);
    await analyzeNewTables(store.pool);
    await store.write(analyzeIndex);
    expect(await withoutStatistics()).to.deep.equal(before);
    await store.pool.query("prepare by_id as select name from chain.assets where id = $1");
    const { rows } = await store.pool.query("explain execute by_id ('\\x00')");
    expect(JSON.stringify(rows)).to.contain("assets_pkey").and.not.contain("Seq Scan");
  });

  it("are made of large tables after migrations, which run after a restore too, and after a bulk load", async () => {
    await fillBlocks();
    await analyzeNewTables(store.pool);
    expect(await withoutStatistics()).not.to.include("blocks");
    await forget("chain.blocks");
    expect(await withoutStatistics()).to.include("blocks");
    await store.write(analyzeIndex);
    expect(await withoutStatistics()).not.to.include("blocks");
  });
});
