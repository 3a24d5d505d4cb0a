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
  const unknown = async () =>
    (
      await store.pool.query<{ name: string }>(
        `select relname as name from pg_class where reltuples < 0 and relkind = 'r'
           and relnamespace in ('chain'::regnamespace, 'service'::regnamespace) order by name`,
      )
    ).rows.map(({ name }) => name);

  it("are there for every table once it is migrated, and once more after a backup was restored", async () => {
    await analyzeNewTables(store.pool);
    expect(await unknown()).to.deep.equal([]);
    await store.pool.query("alter table chain.cursor rename to old; drop table if exists chain.cursor");
    await store.pool.query("create table chain.cursor (like chain.old including all)");
    expect(await unknown()).to.deep.equal(["cursor"]);
    await analyzeNewTables(store.pool);
    expect(await unknown()).to.deep.equal([]);
    await store.pool.query("drop table chain.cursor; alter table chain.old rename to cursor");
  });

  it("are made of the whole index in one go", async () => {
    await analyzeNewTables(store.pool);
    await store.pool.query("update pg_class set reltuples = -1 where oid = 'chain.assets'::regclass");
    expect(await unknown()).to.deep.equal(["assets"]);
    await store.write(analyzeIndex);
    expect(await unknown()).to.deep.equal([]);
  });
});
