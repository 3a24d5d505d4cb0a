import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { createApp } from "../../../../api/app.ts";
import { close, createHttpServer, listen } from "../../../../api/http/server.ts";
import { keys, startApi, type TestApi } from "../../../support/api.ts";
import { readRaw } from "../../../support/raw-http.ts";

/** As in service, but thirty times as fast. */
const patience = { headers: 700, request: 1_000, idle: 1_500, rest: 300, check: 150 };

describe("slow and endless clients", () => {
  let api: TestApi;
  let server: ReturnType<typeof createHttpServer>;
  let port: number;
  const sockets: Socket[] = [];
  before(async () => {
    api = await startApi();
    server = createHttpServer(createApp(api.services), patience);
    await listen(server, 0, "127.0.0.1");
    const address = server.address();
    port = typeof address === "object" ? (address?.port ?? 0) : 0;
  });
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
  });
  after(async () => {
    await close(server);
    await api.stop();
  });

  /** A client that sends these bytes, and goes on in its own way. */
  function client(bytes: string) {
    const socket = connect(port, "127.0.0.1", () => socket.write(bytes));
    sockets.push(socket);
    let received = "";
    socket.on("data", (chunk) => {
      received += chunk;
    });
    socket.on("error", () => {});
    const began = performance.now();
    const closed = new Promise<{ received: string; ms: number }>((resolve) =>
      socket.once("close", () => resolve({ received, ms: performance.now() - began })),
    );
    return { socket, closed };
  }

  /** Goes on sending a byte at a time, for as long as it is let. */
  function drip(socket: Socket, byte: string): void {
    const timer = setInterval(() => socket.write(byte), 100);
    socket.once("close", () => clearInterval(timer));
  }

  const late = 15_000;
  const post =
    `POST /assets/ HTTP/1.1\r\nHost: a\r\nX-API-KEY: ${keys["tenant-a"]}\r\n` +
    "Content-Type: application/json\r\n";

  it("are closed, five hundred that send a header byte by byte, while others are answered", async () => {
    const slow = Array.from({ length: 500 }, () => client("GET /health HTTP/1.1\r\nHost: a\r\nX: "));
    for (const { socket } of slow) drip(socket, "x");
    let open = slow.length;
    for (const { closed } of slow) void closed.then(() => (open -= 1));
    let answered = 0;
    const deadline = performance.now() + late;
    while (open > 0 && performance.now() < deadline) {
      const answer = await fetch(`http://127.0.0.1:${port}/health`);
      expect(answer.status).to.equal(200);
      await answer.text();
      answered += 1;
      await sleep(20);
    }
    expect(open).to.equal(0);
    expect(answered).to.be.greaterThan(5);
    for (const { closed } of slow.slice(0, 5)) {
      const { status, body } = readRaw((await closed).received);
      expect({ status, code: JSON.parse(body).error.code }).to.deep.equal({
        status: 408,
        code: "REQUEST_TIMEOUT",
      });
    }
  });

  it("are closed that connect and say nothing", async () => {
    expect((await client("").closed).ms).to.be.lessThan(late);
  });

  for (const [what, head] of [
    ["that never ends", "Transfer-Encoding: chunked\r\n\r\n"],
    ["that never comes whole", "Content-Length: 1000\r\n\r\n{"],
  ] as const) {
    it(`are told 408 and closed, with a body ${what}`, async () => {
      const { socket, closed } = client(post + head);
      drip(socket, head.includes("chunked") ? "1\r\n \r\n" : " ");
      const { received, ms } = await closed;
      expect(ms).to.be.lessThan(late);
      expect(readRaw(received).status).to.equal(408);
      expect(received.match(/HTTP\/1\.1/g)).to.have.length(1);
    });
  }

  describe("given a body that never ends and comes fast", () => {
    const chunk = `10000\r\n${" ".repeat(0x10000)}\r\n`;
    const endless = `${post}Transfer-Encoding: chunked\r\n\r\n`;

    /** Writes as fast as it is read. */
    function pour(socket: Socket): void {
      const write = () => {
        while (!socket.destroyed && socket.write(chunk));
      };
      socket.on("drain", write);
      socket.once("connect", write);
    }

    it("are told 413 as soon as it is too large, and nothing else", async () => {
      const { socket, closed } = client(endless);
      const answered = once(socket, "data");
      pour(socket);
      await answered;
      const { received } = await closed;
      const { status, body } = readRaw(received);
      expect([status, JSON.parse(body).error.code]).to.deep.equal([413, "BODY_TOO_LARGE"]);
      expect(received.match(/HTTP\/1\.1/g)).to.have.length(1);
    });

    for (const [wish, header] of [
      ["keep", ""],
      ["close", "Connection: close\r\n"],
    ] as const) {
      it(`can read that who read only when they have sent far more than fits, and ${wish} the connection`, async () => {
        const { socket, closed } = client(endless.replace("\r\n", `\r\n${header}`));
        socket.pause();
        await once(socket, "connect");
        for (let sent = 0; sent < 8 * 1024 * 1024; sent += 0x10000) socket.write(chunk);
        if (socket.writableLength > 0) await once(socket, "drain");
        socket.resume();
        const { received } = await closed;
        expect(readRaw(received).status).to.equal(413);
        expect(received.match(/HTTP\/1\.1/g)).to.have.length(1);
      });
    }

    for (const [what, head, status] of [
      [
        "without a valid key",
        endless.replace(keys["tenant-a"] as string, "no-key-of-anybody-0123456789"),
        401,
      ],
      ["to where nothing is", endless.replace("/assets/", "/nothing"), 404],
      ["with a question that has none", endless.replace("POST /assets/", "GET /health"), 200],
      [
        "with an expectation",
        endless.replace("POST /assets/", "GET /health").replace("Host", "Expect: wonders\r\nHost"),
        200,
      ],
    ] as const) {
      it(`are answered once and cut off who send it ${what}`, async () => {
        const { socket, closed } = client(head);
        pour(socket);
        const { received } = await closed;
        expect(readRaw(received).status).to.equal(status);
        expect(received.match(/HTTP\/1\.1/g)).to.have.length(1);
      });
    }

    it("are cut off who send on behind that answer", async () => {
      const { socket, closed } = client(endless);
      socket.pause();
      const connected = once(server, "connection");
      pour(socket);
      const [atServer] = (await connected) as [Socket];
      if (!atServer.destroyed) await once(atServer, "close", { signal: AbortSignal.timeout(late) });
      expect(atServer.bytesRead).to.be.lessThan(32 * 1024 * 1024);
      socket.destroy();
      await closed;
    });
  });

  it("are closed that ask and never read the answer", async () => {
    const connected = once(server, "connection");
    const { socket } = client("");
    socket.pause();
    socket.write("GET /openapi.json HTTP/1.1\r\nHost: a\r\n\r\n".repeat(2_000));
    const [atServer] = (await connected) as [Socket];
    if (!atServer.destroyed) await once(atServer, "close", { signal: AbortSignal.timeout(late) });
    expect(atServer.destroyed).to.equal(true);
  });
});
