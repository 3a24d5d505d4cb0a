import { once } from "node:events";
import { connect as connectTo } from "node:net";
import { expect } from "chai";
import { keys, startApi, type TestApi } from "../../support/api.ts";
import { other, owner } from "../../support/chain/accounts.ts";
import { connect } from "../../support/connect.ts";
import { assetRegistered, tell } from "../../support/database/tell.ts";
import { readStream } from "../../support/event-stream.ts";
import { eventually } from "../../support/eventually.ts";
import { type Issuer, startIssuer } from "../../support/issuer.ts";
import { readRaw, sendRaw } from "../../support/raw-http.ts";

/** With so few events in memory that most are read from the database. */
describe("a stream that resumes", () => {
  let issuer: Issuer;
  let api: TestApi;
  let bearer: string;

  before(async () => {
    issuer = await startIssuer();
    api = await startApi({ issuer: issuer.url, streams: { tail: { kept: 10 } } });
    bearer = await issuer.token();
    const ask = async (author: string, key: string) =>
      api.post("/assets/", { name: "Lease", author }, { key });
    for (let round = 0; round < 8; round += 1) {
      const wallet = round % 2 === 0 ? (await connect(api, bearer, owner)).value : undefined;
      for (const key of Object.values(keys)) await ask(owner.address, key);
      await ask(other.address, keys["tenant-b"]);
      await tell(api.pool, ...Array.from({ length: 30 }, () => assetRegistered));
      // The last one stays connected.
      if (wallet !== undefined && round < 6) await api.remove(`/wallets/${wallet.id}`, { key: null, bearer });
    }
  });
  after(async () => {
    await api.stop();
    await issuer.stop();
  });

  it("is told from any position what a replay of the same reader is told", async () => {
    const [a, b] = [{ "X-API-KEY": keys["tenant-a"] }, { "X-API-KEY": keys["tenant-b"] }];
    const user = { Authorization: `Bearer ${bearer}` };
    const last = Number((await api.get("/events/?after=latest")).meta?.next);
    for (const [headers, query] of [
      [a, ""],
      [b, "&kinds=request,asset"],
      [user, ""],
      [user, "&kinds=asset,wallet"],
      [{ ...a, ...user }, "&kinds=request,wallet"],
      [{ ...b, ...user }, `&assetId=${assetRegistered.assetId}&kinds=request,asset`],
    ] as const) {
      for (const after of [0, Math.floor(last / 2), last - 11, last - 10, last - 1]) {
        const call = { key: null, headers };
        const { value: expected } = await api.get(`/events/?after=${after}&size=200${query}`, call);
        const rest = await api.get(
          `/events/?after=${expected.at(-1)?.sequence ?? last}&size=200${query}`,
          call,
        );
        const all = [...expected, ...rest.value];
        const stream = await readStream(`${api.url}/events/stream?after=${after}${query}`, headers);
        await stream.has(all.length);
        expect(stream.events()).to.deep.equal(all);
        stream.close();
      }
    }
  });

  it("leaves nothing behind where its reader goes away at any moment", async () => {
    const { port } = api;
    for (let count = 0; count < 40; count += 1) {
      const socket = connectTo(port, "127.0.0.1");
      await once(socket, "connect");
      const key = `X-API-KEY: ${keys["tenant-a"]}`;
      const head = `GET /events/stream?kinds=asset&after=0 HTTP/1.1\r\nHost: a\r\n${key}\r\n\r\n`;
      await new Promise<void>((resolve) => socket.write(head, () => resolve()));
      if (count % 2 === 0) await once(socket, "data");
      socket.destroy();
    }
    await eventually(
      "no stream is open",
      async () => api.services.streams.count(),
      (open) => open === 0,
    );
  });

  it("is refused where the header comes twice, and serves a client of HTTP/1.0 too", async () => {
    const key = `X-API-KEY: ${keys["tenant-a"]}\r\n`;
    const twice = `GET /events/stream HTTP/1.1\r\nHost: a\r\n${key}Last-Event-ID: 1\r\nlast-event-id: 1\r\n\r\n`;
    const { status, body } = readRaw(await sendRaw(api.port, twice));
    expect({ status, code: JSON.parse(body).error.code }).to.deep.equal({
      status: 400,
      code: "INVALID_REQUEST",
    });
    const old = await sendRaw(api.port, `GET /events/stream?after=0 HTTP/1.0\r\n${key}\r\n`);
    expect(old)
      .to.match(/^HTTP\/1\.1 200 /)
      .and.include("\nevent: request.Received\ndata: {");
    expect(old).not.to.match(/transfer-encoding/i);
  });
});
