import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { expect } from "chai";
import type pg from "pg";
import { inTransaction, isDatabaseUnavailable, openPool, type Pool } from "../../../db/core/pool.ts";
import { useDatabase } from "../rows.ts";

const failureOf = async (work: Promise<unknown>): Promise<Error> => {
  try {
    await work;
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new Error("it did not fail");
};

describe("a pool", () => {
  const store = useDatabase();
  let pool: Pool;
  let reported: Error[] = [];

  beforeEach(async () => {
    reported = [];
    pool = openPool(store.url, {
      application: "pool test",
      max: 4,
      onError: (error) => reported.push(error),
    });
    await pool.query("drop table if exists public.things");
    await pool.query("create table public.things (name text primary key)");
  });
  afterEach(() => pool.end());

  const insert = (name: string) =>
    inTransaction(pool, (tx) => tx.query("insert into public.things values ($1)", [name]));
  const things = async () =>
    (await store.pool.query<{ name: string }>("select name from public.things order by name")).rows.map(
      ({ name }) => name,
    );
  const idOf = async (tx: pg.ClientBase) =>
    (await tx.query<{ pid: number }>("select pg_backend_pid() as pid")).rows[0]?.pid;
  const endOf = (tx: pg.ClientBase) => new Promise((resolve) => void tx.once("end", resolve));
  const terminate = (pid: number | undefined) => store.pool.query("select pg_terminate_backend($1)", [pid]);

  describe("given work that succeeds", () => {
    it("stores all of it and answers the result", async () => {
      const answer = await inTransaction(pool, async (tx) => {
        await tx.query("insert into public.things values ('a'), ('b')");
        return "done";
      });
      expect(answer).to.equal("done");
      expect(await things()).to.deep.equal(["a", "b"]);
    });

    it("shows nothing of it to others before its end", async () => {
      await inTransaction(pool, async (tx) => {
        await tx.query("insert into public.things values ('a')");
        expect(await things()).to.deep.equal([]);
      });
      expect(await things()).to.deep.equal(["a"]);
    });
  });

  describe("given work that fails", () => {
    it("stores nothing and throws what the work threw", async () => {
      const thrown = new Error("changed my mind");
      const failure = await failureOf(
        inTransaction(pool, async (tx) => {
          await tx.query("insert into public.things values ('a')");
          throw thrown;
        }),
      );
      expect(failure).to.equal(thrown);
      expect(await things()).to.deep.equal([]);
    });

    it("fails, too, when the work hides that one of its statements did", async () => {
      const failure = await failureOf(
        inTransaction(pool, async (tx) => {
          await tx.query("insert into public.things values ('a')");
          await tx.query("insert into public.things values ('a')").catch(() => undefined);
        }),
      );
      expect(failure.message).to.include("nothing was stored");
      expect(await things()).to.deep.equal([]);
    });

    it("fails when a constraint is found broken only at the commit", async () => {
      await pool.query(
        "alter table public.things add other text references public.things deferrable initially deferred",
      );
      const failure = await failureOf(
        inTransaction(pool, (tx) => tx.query("insert into public.things values ('a', 'absent')")),
      );
      expect(failure).to.have.property("code", "23503");
      expect(await things()).to.deep.equal([]);
    });

    it("leaves only connections that work, all of them idle", async () => {
      await insert("taken");
      const failures = await Promise.all(Array.from({ length: 1_000 }, () => failureOf(insert("taken"))));
      expect(new Set(failures.map((error) => "code" in error && error.code))).to.deep.equal(
        new Set(["23505"]),
      );
      await Promise.all(Array.from({ length: 1_000 }, (_, index) => insert(`good ${index}`)));
      expect(await things()).to.have.lengthOf(1_001);
      expect(pool).to.include({ waitingCount: 0, idleCount: pool.totalCount });
    });

    it("drops a connection that the server ended because the work was too slow", async () => {
      const failure = await failureOf(
        inTransaction(pool, async (tx) => {
          await tx.query("set local idle_in_transaction_session_timeout = 50");
          const ended = endOf(tx);
          await tx.query("insert into public.things values ('slow')");
          await ended;
          await tx.query("insert into public.things values ('late')");
        }),
      );
      expect(isDatabaseUnavailable(failure)).to.equal(true);
      expect(pool.totalCount).to.equal(0);
      await insert("good");
      expect(await things()).to.deep.equal(["good"]);
    });
  });

  describe("given a connection that the server ends", () => {
    it("reports one that is idle and goes on with another", async () => {
      const noticed = once(pool, "error");
      await terminate(await inTransaction(pool, idOf));
      await noticed;
      await insert("after");
      expect(reported.some((error) => isDatabaseUnavailable(error))).to.equal(true);
    });

    it("fails the statement that it is at work on as unavailable", async () => {
      const failure = await failureOf(
        inTransaction(pool, async (tx) => {
          const pid = await idOf(tx);
          await Promise.all([tx.query("select pg_sleep(20)"), terminate(pid)]);
        }),
      );
      expect(failure).to.have.property("code", "57P01");
      expect(isDatabaseUnavailable(failure)).to.equal(true);
      await insert("after");
    });

    it("fails the next statement of the work as unavailable, and stores nothing", async () => {
      const failure = await failureOf(
        inTransaction(pool, async (tx) => {
          await tx.query("insert into public.things values ('lost')");
          const ended = endOf(tx);
          await terminate(await idOf(tx));
          await ended;
          await tx.query("insert into public.things values ('never')");
        }),
      );
      expect(failure.message).to.include("is not queryable");
      expect(isDatabaseUnavailable(failure)).to.equal(true);
      expect(pool.totalCount).to.equal(0);
      await insert("after");
      expect(await things()).to.deep.equal(["after"]);
    });
  });

  describe("given a lock that somebody else keeps", () => {
    it("gives up as unavailable within 5 seconds", async () => {
      const holder = await store.pool.connect();
      try {
        await holder.query("begin; lock table public.things");
        const start = performance.now();
        const failure = await failureOf(insert("waiting"));
        expect(performance.now() - start).to.be.within(1_000, 5_000);
        expect(isDatabaseUnavailable(failure), failure.message).to.equal(true);
      } finally {
        await holder.query("rollback");
        holder.release();
      }
      await insert("after");
    });
  });

  describe("given more work than connections", () => {
    it("lets it wait for one, and gives up as unavailable within 5 seconds", async () => {
      const busy = await Promise.all(Array.from({ length: 4 }, () => pool.connect()));
      const start = performance.now();
      const failure = await failureOf(insert("waiting"));
      for (const client of busy) client.release();
      expect(performance.now() - start).to.be.below(5_000);
      expect(isDatabaseUnavailable(failure), failure.message).to.equal(true);
      await insert("after");
    });
  });

  describe("given a number of 64 bits", () => {
    it("answers one up to 2^53 as a number", async () => {
      const { rows } = await pool.query("select 9007199254740991::bigint as most, -1::bigint as least");
      expect(rows).to.deep.equal([{ most: Number.MAX_SAFE_INTEGER, least: -1 }]);
    });

    for (const value of ["9007199254740992", "9223372036854775807", "-9223372036854775808"]) {
      it(`refuses ${value}, which would be rounded, and keeps the connection`, async () => {
        const failure = await failureOf(pool.query(`select '${value}'::bigint as over`));
        expect(failure).to.be.instanceOf(RangeError);
        expect(failure.message).to.include(value);
        expect((await pool.query("select 1 as one")).rows).to.deep.equal([{ one: 1 }]);
      });
    }
  });
});

describe("isDatabaseUnavailable", () => {
  const withCode = (code: string) => Object.assign(new Error("it failed"), { code });

  for (const code of [
    "08006",
    "53300",
    "57P01",
    "57P03",
    "57014",
    "25006",
    "40P01",
    "55P03",
    "ECONNREFUSED",
    "EAI_AGAIN",
  ]) {
    it(`holds for ${code}`, () => {
      expect(isDatabaseUnavailable(withCode(code))).to.equal(true);
    });
  }

  for (const code of ["23505", "23503", "42P01", "22P05", "40001", "25P02", "ENOENT"]) {
    it(`does not hold for ${code}`, () => {
      expect(isDatabaseUnavailable(withCode(code))).to.equal(false);
    });
  }

  it("does not hold for what is no error, or one without a code", () => {
    for (const thrown of [undefined, null, "57P01", { code: "57P01" }, new Error("no")]) {
      expect(isDatabaseUnavailable(thrown)).to.equal(false);
    }
  });

  it("holds where nothing listens", async () => {
    const pool = openPool("postgres://u:p@127.0.0.1:1/d", { application: "test" });
    expect(isDatabaseUnavailable(await failureOf(pool.query("select 1")))).to.equal(true);
    await pool.end();
  });

  it("holds where the server hangs up in the middle of the greeting", async () => {
    const server = createServer((socket: Socket) => socket.destroy()).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as { port: number };
    const pool = openPool(`postgres://u:p@127.0.0.1:${port}/d`, { application: "test" });
    expect(isDatabaseUnavailable(await failureOf(pool.query("select 1")))).to.equal(true);
    await pool.end();
    server.close();
  });
});
