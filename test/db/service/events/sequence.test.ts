import { expect } from "chai";
import type pg from "pg";
import { readAllEvents } from "../../../../db/service/events/read.ts";
import { removeOldEvents } from "../../../../db/service/events/remove.ts";
import { eventually } from "../../../support/eventually.ts";
import { useDatabase } from "../../rows.ts";

/** Writes an event of this kind, as any change does. */
const tell = (db: Pick<pg.ClientBase, "query">, kind: string) =>
  db.query("insert into service.events (kind) values ($1)", [kind]);

describe("the sequence of events", () => {
  const store = useDatabase();
  const read = async (after = 0) =>
    (await readAllEvents(store.pool, after, 1_000)).map(({ sequence, kind }) => [sequence, kind]);
  const refused = (sql: string) =>
    store.pool.query(sql).then(
      () => "done",
      ({ code }) => code,
    );

  async function transaction(): Promise<
    pg.PoolClient & { finish(how: "commit" | "rollback"): Promise<void> }
  > {
    const client = await store.pool.connect();
    await client.query("begin");
    const finish = async (how: "commit" | "rollback") => {
      await client.query(how);
      client.release();
    };
    return Object.assign(client, { finish });
  }

  it("is that of the commits: whoever has read a number misses none below it", async () => {
    const early = await transaction();
    await tell(early, "written first");
    const late = await transaction();
    await tell(late, "written second");
    await late.finish("commit");
    expect(await read()).to.deep.equal([[1, "written second"]]);
    await early.finish("commit");
    expect(await read(1)).to.deep.equal([[2, "written first"]]);
  });

  it("is given later where another commit is at it: no commit waits, and no reader misses the event", async () => {
    const holder = await transaction();
    await tell(holder, "first");
    // Numbers the event as COMMIT does, and then stays before the commit.
    await holder.query("set constraints all immediate");
    const other = await transaction();
    await tell(other, "second");
    await other.finish("commit");
    const reading = read();
    const waits = async () =>
      (
        await store.pool.query(
          "select from pg_stat_activity where wait_event = 'advisory' and datname = current_database()",
        )
      ).rowCount;
    await eventually("the reader waiting", waits, (count) => count === 1);
    await holder.finish("commit");
    expect(await reading).to.deep.equal([
      [1, "first"],
      [2, "second"],
    ]);
  });

  it("is given to what others left by the next commit, in the order of writing", async () => {
    const holder = await transaction();
    await tell(holder, "lost");
    await holder.query("set constraints all immediate");
    await tell(store.pool, "left");
    await holder.finish("rollback");
    await tell(store.pool, "next");
    const { rows } = await store.pool.query("select sequence, kind from service.events order by sequence");
    expect(rows).to.deep.equal([
      { sequence: 1, kind: "left" },
      { sequence: 2, kind: "next" },
    ]);
  });

  it("has no gap where a transaction is rolled back, before or after it was numbered", async () => {
    const plain = await transaction();
    await tell(plain, "lost");
    await plain.finish("rollback");
    const numbered = await transaction();
    await tell(numbered, "lost, too");
    await numbered.query("set constraints all immediate");
    await numbered.finish("rollback");
    await tell(store.pool, "kept");
    expect(await read()).to.deep.equal([[1, "kept"]]);
  });

  it("follows the order of writing within a transaction", async () => {
    await store.write(async (tx) => {
      for (const kind of ["a", "b", "c"]) await tell(tx, kind);
    });
    expect(await read()).to.deep.equal([
      [1, "a"],
      [2, "b"],
      [3, "c"],
    ]);
  });

  it("is the same for readers that read on while twenty writers commit in any order", async () => {
    const writers = 20;
    const each = 25;
    let after = 0;
    const seen: number[] = [];
    let done = false;
    const readOn = async () => {
      for (;;) {
        const last = done;
        const events = await readAllEvents(store.pool, after, 7);
        seen.push(...events.map(({ sequence }) => sequence));
        after = seen.at(-1) ?? 0;
        if (last && events.length === 0) return;
      }
    };
    const reading = readOn();
    await Promise.all(
      Array.from({ length: writers }, async (_, writer) => {
        for (let turn = 0; turn < each; turn += 1) {
          await store.write(async (tx) => {
            await tell(tx, `${writer}.${turn}`);
            await tx.query("select pg_sleep(random() / 200)");
            if (turn % 5 === 4) await tell(tx, `${writer}.${turn} again`);
          });
        }
      }),
    );
    done = true;
    await reading;
    const expected = writers * each + (writers * each) / 5;
    expect(seen).to.deep.equal(Array.from({ length: expected }, (_, index) => index + 1));
  });

  it("wakes those who listen, once for a transaction", async () => {
    const listener = await store.pool.connect();
    let rings = 0;
    listener.on("notification", () => {
      rings += 1;
    });
    await listener.query("listen events");
    await store.write(async (tx) => {
      await tell(tx, "a");
      await tell(tx, "b");
    });
    await eventually(
      "the notification",
      async () => {
        await listener.query("select 1");
        return rings;
      },
      (count) => count > 0,
    );
    expect(rings).to.equal(1);
    listener.release(true);
  });

  it("is only added to: no event is changed, none of the last month removed", async () => {
    await tell(store.pool, "kept");
    const insufficientPrivilege = "42501";
    expect(await refused("update service.events set kind = 'other'")).to.equal(insufficientPrivilege);
    expect(await refused("update service.events set sequence = 9")).to.equal(insufficientPrivilege);
    expect(await refused("delete from service.events")).to.equal(insufficientPrivilege);
    expect(await refused("truncate service.events")).to.equal(insufficientPrivilege);
    expect(await read()).to.deep.equal([[1, "kept"]]);
  });

  it("goes on behind what was removed, of which the newest is never", async () => {
    const old = "insert into service.events (kind, at) values ($1, now() - interval '50 days')";
    for (const kind of ["a", "b", "c"]) await store.pool.query(old, [kind]);
    expect(await removeOldEvents(store.pool, 1, 40)).to.equal(1);
    expect(await removeOldEvents(store.pool, 10, 40)).to.equal(1);
    expect(await removeOldEvents(store.pool, 10, 40)).to.equal(0);
    await tell(store.pool, "d");
    expect(await read()).to.deep.equal([
      [3, "c"],
      [4, "d"],
    ]);
  });

  it("has no gap where clocks went back, and an older event stands behind a newer one", async () => {
    const of = "insert into service.events (kind, at) values ($1, now() - make_interval(days => $2))";
    for (const [kind, days] of Object.entries({ a: 50, b: 35, c: 50, d: 35 }))
      await store.pool.query(of, [kind, days]);
    expect(await removeOldEvents(store.pool, 10, 40)).to.equal(1);
    expect((await read()).map(([, kind]) => kind)).to.deep.equal(["b", "c", "d"]);
    expect(await removeOldEvents(store.pool, 1, 32)).to.equal(1);
    expect(await removeOldEvents(store.pool, 10, 32)).to.equal(1);
    expect((await read()).map(([, kind]) => kind)).to.deep.equal(["d"]);
  });
});
