import { expect } from "chai";
import type { PoolClient } from "pg";
import { createRandom } from "../../simulation/random.ts";
import { keys, startApi, type TestApi } from "../../support/api.ts";
import { owner } from "../../support/chain/accounts.ts";
import { pgbouncerMissing, startPgbouncer } from "../../support/database/pgbouncer.ts";
import { createDatabase, type TestDatabase } from "../../support/database/postgres.ts";
import { assetRegistered, tell } from "../../support/database/tell.ts";
import { type EventReader, readStream } from "../../support/event-stream.ts";

const headers = { "X-API-KEY": keys["tenant-a"] };
/** Through two processes of the API on one database. */
describe("the order of a stream", () => {
  let database: TestDatabase;
  let apis: TestApi[];
  const readers: EventReader[] = [];

  before(async () => {
    database = await createDatabase();
    const first = await startApi({ database });
    apis = [first, await startApi({ database, indexed: false })];
  });
  after(async () => {
    await Promise.all(apis.map((api) => api.stop()));
    await database.drop();
  });
  afterEach(() => {
    for (const reader of readers.splice(0)) reader.close();
  });

  async function open(api: TestApi | undefined, after: number | string | undefined): Promise<EventReader> {
    const resumed = after === undefined ? {} : { "Last-Event-ID": String(after) };
    const reader = await readStream(`${api?.url}/events/stream?kinds=asset`, { ...headers, ...resumed });
    readers.push(reader);
    await reader.hasBlock("ready", (block) => block.event === "ready");
    return reader;
  }

  const database0 = () => (apis[0] as TestApi).pool;
  const last = async () => Number((await apis[0]?.get("/events/"))?.meta?.next);

  /** A transaction with an event, which is open. */
  async function begin(): Promise<PoolClient> {
    const client = await database0().connect();
    await client.query("begin");
    await tell(client, assetRegistered);
    return client;
  }

  async function commit(client: PoolClient): Promise<void> {
    await client.query("commit");
    client.release();
  }

  it("is that of the commits, where transactions commit in another order than they began", async () => {
    const from = await last();
    const streams = [await open(apis[0], undefined), await open(apis[1], undefined)];
    const [first, second] = [await begin(), await begin()];
    await commit(second);
    for (const stream of streams) await stream.has(1);
    await commit(first);
    for (const stream of streams) {
      await stream.has(2);
      expect(stream.sequences()).to.deep.equal([from + 1, from + 2]);
    }
  });

  it("is the same on every process, whoever changed something", async () => {
    const from = await last();
    const streams = [await open(apis[0], undefined), await open(apis[1], undefined)];
    for (const api of apis) {
      await api.post("/assets/", { name: "Lease", author: owner.address });
      await tell(api.pool, assetRegistered);
    }
    for (const stream of streams) await stream.has(2);
    const replayed = await apis[1]?.get(`/events/?after=${from}&kinds=asset`);
    for (const stream of streams) expect(stream.events()).to.deep.equal(replayed?.value);
  });

  it("has no gap and no double for readers that are killed and resume anywhere, while many write", async () => {
    const random = createRandom(16);
    const from = await last();
    const total = 1_500;
    const writers = Array.from({ length: 5 }, async () => {
      for (let count = 0; count < total / 25; count += 1)
        await tell(
          database0(),
          assetRegistered,
          assetRegistered,
          assetRegistered,
          assetRegistered,
          assetRegistered,
        );
    });
    const seen: number[] = [];
    let position: number | string = from;
    while (seen.length < total) {
      const reader = await open(random.pick(apis), position);
      await reader.has(Math.min(random.whole(1, 200), total - seen.length));
      reader.close();
      // What a reader has not read when it is killed is lost with it.
      const read = reader.sequences().slice(0, random.whole(1, reader.sequences().length));
      seen.push(...read);
      position = read.at(-1) ?? position;
    }
    await Promise.all(writers);
    expect(seen).to.deep.equal(Array.from({ length: total }, (_, index) => from + 1 + index));
  });

  it("holds behind a pooler, where no bell rings", async () => {
    if (pgbouncerMissing !== undefined) expect.fail(pgbouncerMissing);
    const pooler = await startPgbouncer(database.url);
    const pooled = await startApi({ database: { ...database, url: pooler.url }, indexed: false });
    try {
      const from = await last();
      const stream = await open(pooled, undefined);
      for (let count = 0; count < 3; count += 1) {
        await tell(database0(), assetRegistered);
        await stream.has(count + 1);
      }
      expect(stream.sequences()).to.deep.equal([from + 1, from + 2, from + 3]);
      const behind = await open(pooled, from);
      await behind.has(3);
      expect(behind.sequences()).to.deep.equal(stream.sequences());
    } finally {
      await pooled.stop();
      await pooler.stop();
    }
  });
});
