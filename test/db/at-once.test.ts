import { expect } from "chai";
import { atOnce } from "../../db/at-once.ts";
import { inTransaction, isDatabaseUnavailable, openPool, type Pool } from "../../db/pool.ts";
import { statement } from "../../db/statement.ts";
import { pgbouncerMissing, startPgbouncer } from "../support/pgbouncer.ts";
import { createDatabase, type TestDatabase } from "../support/postgres.ts";

describe("statements in one piece", () => {
  let database: TestDatabase;
  let pool: Pool;
  before(async () => {
    database = await createDatabase();
  });
  after(() => database.drop());
  // One connection, so that a test knows which it works on.
  beforeEach(async () => {
    pool = openPool(database.url, { application: "test", max: 1 });
    await pool.query("create table public.numbers (number int unique, bytes bytea)");
  });
  afterEach(async () => {
    await pool.query("drop table public.numbers");
    await pool.end();
  });

  const insert = statement("insert into public.numbers (number, bytes) values ($1, $2)");
  const count = statement("select count(*)::int as count, min(number) as least from public.numbers");
  const numbers = async () =>
    (await pool.query<{ number: number }>("select number from public.numbers order by number")).rows.map(
      ({ number }) => number,
    );
  const add = (number: number) => [insert, [number, Buffer.from([number])]] as const;

  it("answer each for itself, in their order, and see what those before them did", async () => {
    const answers = await atOnce(pool, [[count, []], add(7), [count, []], add(3), [count, []]]);
    expect(answers).to.deep.equal([
      [{ count: 0, least: null }],
      [],
      [{ count: 1, least: 7 }],
      [],
      [{ count: 2, least: 3 }],
    ]);
    expect(await numbers()).to.deep.equal([3, 7]);
  });

  it("take bytes, texts, numbers, truth and nothing", async () => {
    const echo = statement(
      "select $1::bytea as a, $2::text as b, $3::float as c, $4::boolean as d, $5::text as e",
    );
    const answers = await atOnce(pool, [[echo, [Buffer.from("00ff", "hex"), "ä'\\", 1.5, false, null]]]);
    expect(answers).to.deep.equal([
      [{ a: Buffer.from("00ff", "hex"), b: "ä'\\", c: 1.5, d: false, e: null }],
    ]);
  });

  it("are stored all of them, or none", async () => {
    const failed = await atOnce(pool, [add(1), add(2), add(1)]).catch(
      (error: { code: string }) => error.code,
    );
    expect(failed).to.equal("23505");
    expect(await numbers()).to.deep.equal([]);
    await atOnce(pool, [add(1), add(2)]);
    expect(await numbers()).to.deep.equal([1, 2]);
  });

  it("stay with the connection, as many times as they are asked", async () => {
    for (const number of [1, 2, 3]) await atOnce(pool, [add(number), [count, []]]);
    const { rows } = await pool.query<{ name: string }>("select name from pg_prepared_statements");
    expect(rows.map(({ name }) => name)).to.include.members([insert.name, count.name]);
    expect(await numbers()).to.deep.equal([1, 2, 3]);
  });

  it("are asked in plain words once the connection has lost them, as behind a pooler", async () => {
    await atOnce(pool, [add(1)]);
    await pool.query("deallocate all");
    await atOnce(pool, [add(2)]);
    await atOnce(pool, [add(3), [count, []]]);
    expect(await numbers()).to.deep.equal([1, 2, 3]);
    expect((await pool.query("select name from pg_prepared_statements")).rows).to.deep.equal([]);
  });

  it("wait for a lock no longer than a caller does, and store nothing then", async () => {
    const holder = openPool(database.url, { application: "holder", max: 1 });
    try {
      const failure = await inTransaction(holder, async (tx) => {
        await tx.query("lock table public.numbers");
        return await atOnce(pool, [add(1)]).catch((error: unknown) => error);
      });
      expect(isDatabaseUnavailable(failure)).to.equal(true);
      expect(failure).to.include({ code: "55P03" });
      expect(await numbers()).to.deep.equal([]);
    } finally {
      await holder.end();
    }
  });

  it("go one by one inside of a transaction, and end with it", async () => {
    const failure = await inTransaction(pool, async (tx) => {
      expect(await atOnce(tx, [add(1), [count, []]])).to.deep.equal([[], [{ count: 1, least: 1 }]]);
      throw new Error("not after all");
    }).catch((error: Error) => error.message);
    expect(failure).to.equal("not after all");
    expect(await numbers()).to.deep.equal([]);
  });

  it("go through PgBouncer in transaction mode, which lends connections to several clients", async function () {
    if (pgbouncerMissing !== undefined) {
      console.log(`      Not run: ${pgbouncerMissing}`);
      this.skip();
    }
    const pooler = await startPgbouncer(database.url, { connections: 2 });
    const clients = [1, 2].map(() => openPool(pooler.url, { application: "test", max: 4 }));
    try {
      const counted = Array.from({ length: 60 }, (_, index) => index);
      const answers = await Promise.all(
        counted.map(async (number) =>
          atOnce(clients[number % 2] as Pool, [
            add(number),
            [statement("select number from public.numbers where number = $1"), [number]],
          ]),
        ),
      );
      expect(answers).to.deep.equal(counted.map((number) => [[], [{ number }]]));
      expect(await numbers()).to.deep.equal(counted);
    } finally {
      for (const client of clients) await client.end();
      await pooler.stop();
    }
  });

  it("are refused on a pool whose transactions have to prove something", async () => {
    const guarded = openPool(database.url, { application: "guarded", max: 1, guard: async () => undefined });
    const failure = await atOnce(guarded, [add(1)]).catch((error: Error) => error.message);
    await guarded.end();
    expect(failure).to.match(/prove/);
    expect(await numbers()).to.deep.equal([]);
  });
});
