import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import type { StreamSettings } from "../../../api/events/streams.ts";
import type { ClientLimits } from "../../../api/http/server.ts";
import { keys, startApi, type TestApi } from "../../support/api.ts";
import { owner } from "../../support/chain/accounts.ts";
import { type Told, tell } from "../../support/database/tell.ts";
import { readStream } from "../../support/event-stream.ts";
import { eventually } from "../../support/eventually.ts";

/** About 5,000 bytes as JSON. */
const long: Told = {
  kind: "asset.registered",
  assetId: `0x${"a".repeat(64)}`,
  author: owner.address,
  block: 1,
  details: { name: "x".repeat(4_400), fileName: "", method: "", hash: "" },
};
const total = 4_000;

describe("a reader of a stream of events", () => {
  let api: TestApi | undefined;
  const sockets: Socket[] = [];
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    await api?.stop();
    api = undefined;
  });

  async function start(streams: Partial<StreamSettings>, clients: Partial<ClientLimits> = {}) {
    api = await startApi({ streams, clients });
    return api;
  }

  /** Opens a stream by bare TCP, and takes nothing after its beginning. @returns its position */
  async function openAndStop(
    { port }: TestApi,
    query: string,
  ): Promise<{ socket: Socket; text: () => string }> {
    const socket = connect(port, "127.0.0.1");
    sockets.push(socket);
    let text = "";
    socket.on("data", (chunk) => {
      text += String(chunk);
    });
    socket.on("error", () => undefined);
    await once(socket, "connect");
    const key = `X-API-KEY: ${keys["tenant-a"]}`;
    socket.write(`GET /events/stream?kinds=asset${query} HTTP/1.1\r\nHost: a\r\n${key}\r\n\r\n`);
    await eventually(
      "the stream begins",
      async () => text,
      (seen) => seen.includes("event: ready"),
    );
    socket.pause();
    return { socket, text: () => text };
  }

  async function fill({ pool }: TestApi, count: number): Promise<void> {
    for (let written = 0; written < count; written += 200) {
      await tell(pool, ...Array.from({ length: 200 }, () => long));
    }
  }

  /** @returns the most bytes that the server has held for one connection */
  function watchUnsent({ server }: TestApi): () => number {
    let most = 0;
    server.on("connection", (socket: Socket) => {
      const look = setInterval(() => {
        most = Math.max(most, socket.writableLength);
      }, 1);
      socket.once("close", () => clearInterval(look));
    });
    return () => most;
  }

  const isCutOff = (api: TestApi) =>
    eventually(
      "the stream is cut off",
      async () => api.services.streams.count(),
      (open) => open === 0,
    );

  for (const [name, query] of [
    ["while it happens", ""],
    ["while it is sent what it missed", "&after=0"],
  ] as const) {
    it(`that takes nothing is cut off, with little kept for it, and resumes without loss: ${name}`, async () => {
      const api = await start({ readers: { patience: 1_500 } });
      if (query !== "") await fill(api, total);
      const mostUnsent = watchUnsent(api);
      const { socket, text } = await openAndStop(api, query);
      if (query === "") await fill(api, total);
      await isCutOff(api);
      // The log has 20 MB, and the operating system takes some of it.
      expect(mostUnsent()).to.be.within(64 * 1024, 1.5 * 1024 * 1024);
      socket.resume();
      await once(socket, "close");
      const [, last = "0"] =
        [...text().matchAll(/\r?\nid: (\d+)\nevent: asset\.registered\ndata: .*\n\n/g)].at(-1) ?? [];
      expect(Number(last)).to.be.within(1, total - 1);
      const headers = { "X-API-KEY": keys["tenant-a"], "Last-Event-ID": last };
      const resumed = await readStream(`${api.url}/events/stream?kinds=asset`, headers);
      await resumed.has(total - Number(last));
      resumed.close();
      expect(resumed.sequences()).to.deep.equal(
        Array.from({ length: total - Number(last) }, (_, index) => Number(last) + 1 + index),
      );
    });
  }

  it("that takes nothing costs the others nothing, who get each event meanwhile", async () => {
    const api = await start({ readers: { patience: 60_000 } });
    await openAndStop(api, "");
    const headers = { "X-API-KEY": keys["tenant-a"] };
    const reader = await readStream(`${api.url}/events/stream?kinds=asset`, headers);
    await reader.hasBlock("ready", ({ event }) => event === "ready");
    await fill(api, total);
    await reader.has(total);
    expect(api.services.streams.count()).to.equal(2);
    reader.close();
  });

  it("that is told nothing keeps its connection by signs of life alone, longer than a server waits for others", async () => {
    const api = await start({ heartbeat: 100 }, { idle: 1_000, check: 50 });
    const headers = { "X-API-KEY": keys["tenant-a"] };
    const reader = await readStream(`${api.url}/events/stream`, headers);
    // The pause itself is what is tried.
    await sleep(2_500);
    expect(api.services.streams.count()).to.equal(1);
    reader.close();
  });

  it("that leaves so much unread that not even those get through loses it", async () => {
    const api = await start({ heartbeat: 100, readers: { patience: 600_000 } }, { idle: 400, check: 50 });
    await openAndStop(api, "");
    await fill(api, total);
    await isCutOff(api);
  });
});
