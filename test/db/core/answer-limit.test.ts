import { pipeline } from "node:stream/promises";
import { expect } from "chai";
import pg from "pg";
import { from as copyFrom } from "pg-copy-streams";
import { limitAnswers } from "../../../db/core/answer-limit.ts";
import { isDatabaseUnavailable } from "../../../db/core/pool.ts";
import { useDatabase } from "../rows.ts";

const limit = 500;

describe("a connection whose answers have a limit", () => {
  const store = useDatabase();
  let client: pg.Client;
  let ended: Promise<unknown>;

  beforeEach(async () => {
    client = new pg.Client({ connectionString: store.url });
    client.on("error", () => undefined);
    ended = new Promise((resolve) => void client.once("end", resolve));
    await client.connect();
    limitAnswers(client, limit);
  });
  afterEach(() => client.end());

  const failureOf = (work: Promise<unknown>) =>
    work.then(
      () => undefined,
      (error: unknown) => error,
    );
  const sleep = (milliseconds: number) => `select pg_sleep(${milliseconds / 1000})`;

  it("fails what is not answered in time as unavailable, and is closed", async () => {
    const failure = await failureOf(client.query(sleep(60_000)));
    await ended;
    expect(failure).to.be.an("error").with.property("message", "Query read timeout");
    expect(isDatabaseUnavailable(failure)).to.equal(true);
  });

  it("fails what waits behind it, too", async () => {
    const [first, second] = await Promise.all([
      failureOf(client.query(sleep(60_000))),
      failureOf(client.query("select 1")),
    ]);
    expect(first).to.be.an("error");
    expect(isDatabaseUnavailable(second)).to.equal(true);
  });

  it("tells a callback, once", async () => {
    const told: unknown[] = [];
    client.query(sleep(60_000), [], (error) => told.push(error.message));
    await ended;
    expect(told).to.deep.equal(["Query read timeout"]);
  });

  it("takes a callback in the place of values, too", async () => {
    const rows = await new Promise((resolve) =>
      client.query("select 1 as one", (_error: Error, result: pg.QueryResult) => resolve(result.rows)),
    );
    expect(rows).to.deep.equal([{ one: 1 }]);
  });

  it("answers what is in time, though all of it together takes longer", async () => {
    const rows: unknown[] = [];
    for (let turn = 0; turn < 6; turn += 1) {
      const { rowCount } = await client.query(sleep(limit / 4));
      rows.push(rowCount);
    }
    expect(rows).to.deep.equal([1, 1, 1, 1, 1, 1]);
  });

  it("answers those of which one is always asked before the last is answered", async () => {
    let [asked, answered] = [0, 0];
    await new Promise<void>((resolve, reject) => {
      const ask = () => {
        asked += 1;
        client.query(sleep(limit / 5), [], (error: Error | undefined) => {
          if (error) return reject(error);
          answered += 1;
          if (answered === 8) resolve();
          else if (asked < 8) ask();
        });
      };
      ask();
      ask();
    });
    expect(answered).to.equal(8);
  });

  it("answers what came while the whole process stood still", async () => {
    const answer = client.query("select 1 as one");
    await new Promise((resolve) => setImmediate(resolve));
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, limit * 2);
    expect((await answer).rows).to.deep.equal([{ one: 1 }]);
  });

  it("calls the callback that a query brings itself, and rests as long as it likes afterwards", async () => {
    const { rows } = await new Promise<pg.QueryResult>((resolve, reject) => {
      const told = (error: Error, result: pg.QueryResult) => (error ? reject(error) : resolve(result));
      const own = new pg.Query("select 1 as one", [], told as never);
      client.query(own as never, [], () => reject(new Error("not this one")));
    });
    expect(rows).to.deep.equal([{ one: 1 }]);
    await new Promise((resolve) => setTimeout(resolve, limit * 2));
    expect((await client.query("select 2 as two")).rows).to.deep.equal([{ two: 2 }]);
  });

  it("throws at once what the library does, and forgets it", async () => {
    expect(() => client.query("select 1", [], 5 as never)).to.throw(TypeError);
    await new Promise((resolve) => setTimeout(resolve, limit * 2));
    expect((await client.query("select 2 as two")).rows).to.deep.equal([{ two: 2 }]);
  });

  it("may rest for longer than that between two of them", async () => {
    await client.query("select 1");
    await new Promise((resolve) => setTimeout(resolve, limit * 2));
    expect((await client.query("select 2 as two")).rows).to.deep.equal([{ two: 2 }]);
  });

  it("goes on after one that failed", async () => {
    expect(await failureOf(client.query("select 1 / 0"))).to.have.property("code", "22012");
    await new Promise((resolve) => setTimeout(resolve, limit * 2));
    expect((await client.query("select 2 as two")).rows).to.deep.equal([{ two: 2 }]);
  });

  it("lets one take the time that it brings itself", async () => {
    const patient: pg.QueryConfig & { query_timeout: number } = {
      text: sleep(limit * 2),
      query_timeout: 60_000,
    };
    expect((await client.query(patient)).rowCount).to.equal(1);
  });

  describe("given rows that are copied", () => {
    const target = "copy things from stdin";
    beforeEach(() => client.query("create temp table things (name text primary key)"));

    it("takes them, and rests as long as it likes afterwards", async () => {
      await pipeline(["a\n", "b\n"], client.query(copyFrom(target)));
      await new Promise((resolve) => setTimeout(resolve, limit * 2));
      expect((await client.query("select from things")).rowCount).to.equal(2);
    });

    it("fails where they do not come to an end in time", async () => {
      async function* forever() {
        yield "a\n";
        await new Promise((resolve) => setTimeout(resolve, limit * 3));
        yield "b\n";
      }
      expect(await failureOf(pipeline(forever(), client.query(copyFrom(target))))).to.be.an("error");
      await ended;
    });
  });
});
