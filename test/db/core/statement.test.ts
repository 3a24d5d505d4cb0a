import { expect } from "chai";
import { inTransaction, openPool, type Pool } from "../../../db/core/pool.ts";
import { ask, statement } from "../../../db/core/statement.ts";
import { createDatabase, type TestDatabase } from "../../support/postgres.ts";

describe("statements that are planned once", () => {
  let database: TestDatabase;
  let pool: Pool;
  before(async () => {
    database = await createDatabase();
  });
  after(() => database.drop());
  // One connection, so that a test knows which it works on.
  beforeEach(() => {
    pool = openPool(database.url, { application: "test", max: 1 });
  });
  afterEach(() => pool.end());

  const doubled = statement("select $1::int * 2 as number");
  const double = async (number: number) =>
    (await ask<{ number: number }>(pool, doubled, [number]))[0]?.number;
  const kept = async () =>
    (await pool.query<{ name: string }>("select name from pg_prepared_statements")).rows.map(
      ({ name }) => name,
    );

  it("have a name that is made of their words", () => {
    expect(statement("select 1")).to.deep.equal(statement("select 1"));
    expect(statement("select 1").name).not.to.equal(statement("select 2").name);
  });

  it("stay with the connection", async () => {
    expect([await double(1), await double(2)]).to.deep.equal([2, 4]);
    expect(await kept()).to.deep.equal([doubled.name]);
  });

  it("are asked in plain words once the connection has lost them, as behind a pooler", async () => {
    await double(1);
    await pool.query("deallocate all");
    expect([await double(2), await double(3)]).to.deep.equal([4, 6]);
    expect(await kept()).to.deep.equal([]);
  });

  it("are asked in plain words where another client has left one of the name", async () => {
    await pool.query(`prepare ${doubled.name} as select 'another'`);
    expect([await double(2), await double(3)]).to.deep.equal([4, 6]);
  });

  it("go on when a migration changes the type of a column", async () => {
    const read = statement("select number from public.numbers");
    const number = async () => (await ask<{ number: unknown }>(pool, read, []))[0]?.number;
    await pool.query("create table public.numbers as select 1 as number");
    expect(await number()).to.equal(1);
    await pool.query("alter table public.numbers alter column number type text");
    expect(await number()).to.equal("1");
    expect(await double(2)).to.equal(4);
    expect(await kept()).to.include(doubled.name);
  });

  it("are lost inside a transaction, which begins again and asks in plain words", async () => {
    const begun: number[] = [];
    await double(1);
    await pool.query("deallocate all");
    const result = await inTransaction(pool, async (tx) => {
      await tx.query("create table if not exists public.made as select 1 as number");
      begun.push(begun.length);
      const [row] = await ask<{ number: number }>(tx, doubled, [4]);
      return row?.number;
    });
    expect(result).to.equal(8);
    expect(begun).to.deep.equal([0, 1]);
    expect((await pool.query("select number from public.made")).rowCount).to.equal(1);
    expect(await kept()).to.deep.equal([]);
    await pool.query("drop table public.made");
  });

  it("do not hide what is wrong with a question", async () => {
    const wrong = await ask(pool, statement("select nothing"), []).catch(
      (error: { code: string }) => error.code,
    );
    expect(wrong).to.equal("42703");
  });
});
