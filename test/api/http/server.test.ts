import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { close, createHttpServer, listen } from "../../../api/http/server.ts";

/** Much shorter than a connection is kept for here. */
const short = { headers: 300, request: 300, idle: 300, check: 50 };

describe("connections that are kept", () => {
  const stops: (() => unknown)[] = [];
  afterEach(async () => {
    for (const stop of stops.splice(0).reverse()) await stop();
  });

  async function serve(patience: Parameters<typeof createHttpServer>[1]) {
    const server = createHttpServer((_request, response) => void response.end("ok"), patience);
    await listen(server, 0, "127.0.0.1");
    stops.push(() => close(server));
    const address = server.address();
    const socket = connect(typeof address === "object" ? (address?.port ?? 0) : 0, "127.0.0.1");
    stops.push(() => socket.destroy());
    await once(socket, "connect");
    return { server, socket };
  }

  async function ask(socket: Socket, head = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"): Promise<string> {
    socket.write(head);
    let text = "";
    while (!text.endsWith("ok")) text += String((await once(socket, "data"))[0]);
    return text;
  }

  it("wait for 65 seconds, longer than balancers do", async () => {
    const { socket } = await serve({});
    expect(await ask(socket)).to.match(/\r\nKeep-Alive: timeout=65\r\n/);
  });

  it("are closed without a word where an answer is on its way and no valid request follows, or its own never ends", async () => {
    const rests = ["no HTTP\r\n\r\n", ""];
    for (const rest of rests) {
      const server = createHttpServer((_request, response) => void response.write("begun"), short);
      await listen(server, 0, "127.0.0.1");
      stops.push(() => close(server, 0));
      const address = server.address();
      const socket = connect(typeof address === "object" ? (address?.port ?? 0) : 0, "127.0.0.1");
      let text = "";
      socket.on("data", (chunk) => {
        text += String(chunk);
      });
      const length = rest === "" ? 5 : 0;
      socket.write(`GET / HTTP/1.1\r\nHost: a\r\nContent-Length: ${length}\r\n\r\n`);
      await once(socket, "data");
      socket.write(rest);
      await once(socket, "close");
      expect(text.split("\r\n\r\n").slice(1)).to.deep.equal(["5\r\nbegun\r\n"]);
    }
  });

  it("are used again after a pause that is longer than a request may take to come", async () => {
    const { socket } = await serve({ ...short, keepAlive: 5_000 });
    for (let count = 0; count < 3; count += 1) {
      expect(await ask(socket)).to.match(/^HTTP\/1\.1 200 /);
      // The pause itself is what is tried: two and a half times each of the other limits.
      await sleep(750);
    }
    expect(await ask(socket)).to.match(/^HTTP\/1\.1 200 /);
  });

  it("are closed when their time is over, and at once when the server ends", async () => {
    const timed = await serve({ keepAlive: 1_000 });
    await ask(timed.socket);
    const asked = performance.now();
    await once(timed.socket, "close");
    expect(performance.now() - asked).to.be.within(950, 10_000);
    const kept = await serve({ keepAlive: 3_600_000 });
    await ask(kept.socket);
    const begun = performance.now();
    await Promise.all([once(kept.socket, "close"), close(kept.server)]);
    expect(performance.now() - begun).to.be.below(2_000);
  });

  it("hold nothing of requests that were answered early and have come whole since", async () => {
    const { server, socket } = await serve({});
    const seen: { listeners: number; ended: Promise<unknown> }[] = [];
    server.on("request", (request) => {
      seen.push({ listeners: request.socket.listenerCount("data"), ended: once(request, "close") });
    });
    const post = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\n";
    for (let count = 0; count < 12; count += 1) {
      expect(await ask(socket, post)).to.match(/^HTTP\/1\.1 200 /);
      socket.write("rest");
      await seen[count]?.ended;
    }
    const [first] = seen;
    expect(seen.map(({ listeners }) => listeners)).to.deep.equal(Array(12).fill(first?.listeners));
  });

  it("get no answer where they were opened ahead and never used", async () => {
    const { socket } = await serve(short);
    let received = "";
    socket.on("data", (part) => {
      received += part;
    });
    await once(socket, "close");
    expect(received).to.equal("");
  });
});
