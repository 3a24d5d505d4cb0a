import { expect } from "chai";
import { keys, startApi, type TestApi } from "../../support/api.ts";
import { owner } from "../../support/chain/accounts.ts";
import { tell } from "../../support/database/tell.ts";
import { type EventReader, readStream } from "../../support/event-stream.ts";
import { eventually } from "../../support/eventually.ts";

describe("GET /events/stream", () => {
  let api: TestApi;
  const readers: EventReader[] = [];

  before(async () => {
    api = await startApi({ streams: { heartbeat: 100 } });
  });
  after(() => api.stop());
  afterEach(() => {
    for (const reader of readers.splice(0)) reader.close();
  });

  const key = (tenant: keyof typeof keys = "tenant-a") => ({ "X-API-KEY": keys[tenant] });
  const open = async (query = "", headers: Record<string, string> = key()) => {
    const reader = await readStream(`${api.url}/events/stream${query}`, headers);
    readers.push(reader);
    return reader;
  };
  const ask = async (tenant: keyof typeof keys = "tenant-a") =>
    (await api.post("/assets/", { name: "Lease", author: owner.address }, { key: keys[tenant] })).value
      .transactionId;
  const end = async () => Number((await api.get("/events/")).meta?.next);

  it("begins at its position, tells what happens from then on, and nothing of others", async () => {
    await ask();
    const from = await end();
    const stream = await open();
    expect(stream.response.headers).to.include({
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-store, no-transform",
      "x-accel-buffering": "no",
    });
    await stream.hasBlock("ready", ({ event }) => event === "ready");
    expect(stream.blocks[0]).to.deep.include({ id: String(from), event: "ready" });
    await ask("tenant-b");
    const id = await ask();
    const [event] = await stream.has(1);
    expect(event.transactionId).to.equal(id);
    expect(stream.blocks.find((block) => block.event === "request.Received")?.id).to.equal(
      String(event.sequence),
    );
    expect((await api.get(`/events/?after=${from}`)).value).to.deep.equal(stream.events());
  });

  it("resumes after the event that a reader names, which counts more than the parameter", async () => {
    const from = await end();
    const ids = [await ask(), await ask(), await ask()];
    const all = await (await open(`?after=${from}`)).has(3);
    expect(all.map(({ transactionId }) => transactionId)).to.deep.equal(ids);
    const resumed = await open(`?after=${from}`, { ...key(), "Last-Event-ID": String(all[1].sequence) });
    expect((await resumed.has(1))[0]).to.deep.equal(all[2]);
    const next = await ask();
    expect((await resumed.has(2)).map(({ transactionId }) => transactionId)).to.deep.equal([ids[2], next]);
  });

  it("gives signs of life, which move the position of whoever is told nothing", async () => {
    const stream = await open();
    await stream.hasBlock("a sign of life", ({ comment, id }) => comment && id === undefined);
    await ask("tenant-b");
    const last = (await api.get("/events/", { key: keys["tenant-b"] })).meta?.next;
    await stream.hasBlock("a sign of life with a position", ({ comment, id }) => comment && id === last);
    expect(stream.events()).to.deep.equal([]);
  });

  it("tells of the chain whoever names its kinds", async () => {
    const assetId = `0x${"a".repeat(64)}` as const;
    const stream = await open("?kinds=asset.registered");
    const about = await open(`?kinds=asset&assetId=0x${"b".repeat(64)}`);
    await stream.hasBlock("ready", ({ event }) => event === "ready");
    await about.hasBlock("ready", ({ event }) => event === "ready");
    const event = {
      kind: "asset.registered",
      assetId,
      author: owner.address,
      block: 1,
      details: {},
    } as const;
    await tell(
      api.pool,
      event,
      { ...event, assetId: `0x${"b".repeat(64)}` },
      { ...event, kind: "asset.final" },
    );
    expect((await stream.has(2)).map(({ kind }) => kind)).to.deep.equal([
      "asset.registered",
      "asset.registered",
    ]);
    expect((await about.has(1))[0].assetId).to.equal(`0x${"b".repeat(64)}`);
  });

  it("costs one reading of the log, however many there are, and none where there are none", async () => {
    let readings = 0;
    const { pool } = api;
    const query = pool.query.bind(pool);
    pool.query = ((...asked: Parameters<typeof query>) => {
      const [statement] = asked as unknown as [{ text?: string }]; // never a text or a Submittable here
      if (statement.text?.includes("where sequence > $1 and true")) readings += 1;
      return query(...asked);
    }) as typeof pool.query;
    try {
      const streams = await Promise.all(Array.from({ length: 20 }, () => open()));
      for (const stream of streams) await stream.hasBlock("ready", ({ event }) => event === "ready");
      readings = 0;
      for (let count = 1; count <= 5; count += 1) {
        await ask();
        for (const stream of streams) await stream.has(count);
      }
      // Few for each, and the same for twenty streams as for one.
      expect(readings).to.be.within(5, 60);
      for (const stream of streams) stream.close();
      await eventually(
        "no stream is open",
        async () => api.services.streams.count(),
        (count) => count === 0,
      );
      readings = 0;
      await ask();
      await (await open()).hasBlock("ready", ({ event }) => event === "ready");
      expect(readings).to.be.below(5);
    } finally {
      pool.query = query as typeof pool.query;
    }
  });
});
