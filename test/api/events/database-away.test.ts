import { expect } from "chai";
import { openPool } from "../../../db/core/pool.ts";
import { expectError, keys, startApi } from "../../support/api.ts";
import { createDatabase } from "../../support/database/postgres.ts";
import { assetRegistered, tell } from "../../support/database/tell.ts";
import { type Delivery, unreliablePostgres } from "../../support/database/unreliable-postgres.ts";
import { readStream } from "../../support/event-stream.ts";

describe("streams of events while the database is away", () => {
  it("stay open with signs of life, and tell afterwards all that happened", async () => {
    const database = await createDatabase();
    let way: Delivery = "arrives";
    const proxy = await unreliablePostgres(database.url, () => way);
    const pool = openPool(database.url, { application: "test" });
    const api = await startApi({
      database: { ...database, url: proxy.url },
      streams: { heartbeat: 50, tail: { poll: 50 } },
    });
    try {
      const headers = { "X-API-KEY": keys["tenant-a"] };
      const stream = await readStream(`${api.url}/events/stream?kinds=asset`, headers);
      await stream.hasBlock("ready", (block) => block.event === "ready");
      await tell(pool, assetRegistered);
      await stream.has(1);
      way = "lost";
      await tell(pool, assetRegistered, assetRegistered);
      const seen = stream.blocks.length;
      await stream.hasBlock("signs of life", () => stream.blocks.length > seen + 10);
      expect(stream.events()).to.have.length(1);
      expectError(await api.get("/events/stream"), 503, "DATABASE_UNAVAILABLE");
      way = "arrives";
      await stream.has(3);
      await tell(pool, assetRegistered);
      await stream.has(4);
      expect(stream.sequences()).to.deep.equal([1, 2, 3, 4]);
      stream.close();
    } finally {
      way = "arrives";
      await api.stop();
      await pool.end();
      await proxy.cut();
      await database.drop();
    }
  });

  it("end where another log comes back, whose readers are told so", async () => {
    const api = await startApi({ streams: { tail: { poll: 50 } } });
    try {
      const headers = { "X-API-KEY": keys["tenant-a"] };
      await tell(api.pool, assetRegistered, assetRegistered, assetRegistered);
      const stream = await readStream(`${api.url}/events/stream?kinds=asset&after=0`, headers);
      await stream.has(3);
      await api.pool.query(
        "set session_replication_role = replica; truncate service.events; set session_replication_role = origin",
      );
      await tell(api.pool, assetRegistered);
      expect(await stream.over()).to.equal("ended");
      expect(stream.sequences()).to.deep.equal([1, 2, 3]);
      expectError(await api.get("/events/stream?after=3"), 409, "EVENT_AHEAD");
    } finally {
      await api.stop();
    }
  });
});
