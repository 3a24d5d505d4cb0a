import { expect } from "chai";
import { inTransaction, openPool, type Pool } from "../../../db/core/pool.ts";
import { ask, statement } from "../../../db/core/statement.ts";
import { createDatabase, type TestDatabase } from "../../support/database/postgres.ts";

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

  it("say what to set where the connection has lost them, as behind a pooler", async () => {
    await double(1);
    await pool.query("deallocate all");
    const problem = await double(2).catch(String);
    expect(problem).to.contain("add prepared_statements=off to DATABASE_URL");
  });

  it("say so where another client has left one of the name", async () => {
    await pool.query(`prepare ${doubled.name} as select 'another'`);
    expect(await double(2).catch(String)).to.contain("prepared_statements=off");
  });

  it("are not prepared where DATABASE_URL says so, inside a transaction either", async () => {
    const plain = openPool(`${database.url}?prepared_statements=off`, { application: "test", max: 1 });
    try {
      const [row] = await ask<{ number: number }>(plain, doubled, [2]);
      expect(row?.number).to.equal(4);
      const [inside] = await inTransaction(plain, (tx) => ask<{ number: number }>(tx, doubled, [3]));
      expect(inside?.number).to.equal(6);
      const { rows } = await plain.query("select name from pg_prepared_statements");
      expect(rows).to.deep.equal([]);
    } finally {
      await plain.end();
    }
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

  it("are out of date inside a transaction, which begins again on another connection", async () => {
    const read = statement("select number from public.amounts");
    await pool.query("create table public.amounts as select 1 as number");
    await ask(pool, read, []);
    await pool.query("alter table public.amounts alter column number type text");
    const begun: number[] = [];
    const result = await inTransaction(pool, async (tx) => {
      begun.push(begun.length);
      return (await ask<{ number: string }>(tx, read, []))[0]?.number;
    });
    expect(result).to.equal("1");
    expect(begun).to.deep.equal([0, 1]);
  });

  it("do not hide what is wrong with a question", async () => {
    const wrong = await ask(pool, statement("select nothing"), []).catch(
      (error: { code: string }) => error.code,
    );
    expect(wrong).to.equal("42703");
  });
});
