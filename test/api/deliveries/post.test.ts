import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import net, { type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect } from "chai";
import { addressRules } from "../../../api/deliveries/addresses.ts";
import { type Agents, createAgents } from "../../../api/deliveries/agents.ts";
import { UnknownHostError } from "../../../api/deliveries/lookup.ts";
import { type PostOptions, post } from "../../../api/deliveries/post.ts";
import { accept, type Receiver, startReceiver, status } from "./receiver.ts";

const body = JSON.stringify({ kind: "asset.registered" });

describe("a POST to a receiver", () => {
  let receiver: Receiver;
  let agents: Agents;
  const rules = addressRules(["127.0.0.0/8"]);

  before(async () => {
    receiver = await startReceiver();
    agents = createAgents(4);
  });
  after(async () => {
    agents.close();
    await receiver.close();
  });
  beforeEach(() => {
    receiver.answer = accept;
    receiver.got.length = 0;
  });

  const send = (url = receiver.url, options: Partial<PostOptions> = {}) =>
    post(
      { webhookId: "one", url, headers: { "Content-Type": "application/json" }, body },
      { rules, agents, within: { answer: 300, end: 600 }, ...options },
    );

  it("carries the body and its headers, and succeeds by any status of 2xx", async () => {
    for (const code of [200, 201, 202, 204, 299]) {
      receiver.answer = status(code);
      expect(await send()).to.deep.include({ status: code, problem: undefined });
    }
    expect(receiver.got[0]).to.deep.include({ body, path: "/hook" });
    expect(receiver.got[0]?.headers).to.include({ "content-type": "application/json" });
    expect(receiver.got[0]?.headers).not.to.have.any.keys("cookie", "transfer-encoding");
  });

  it("keeps the first bytes of the answer as text that does nothing", async () => {
    receiver.answer = status(500, {}, `a\0b\u001b[31m\u202ec${"x".repeat(5_000)}`);
    const { answer, problem } = await send();
    expect(problem).to.equal("NOT_ACCEPTED");
    expect(answer.slice(0, 12)).to.equal("a\u{fffd}b\u{fffd}[31m\u{fffd}cxx");
    expect(Buffer.byteLength(answer)).to.be.within(1_000, 1_200);
  });

  it("fails by other statuses, 304 and those without a body too", async () => {
    for (const code of [304, 400, 404, 410, 500]) {
      receiver.answer = status(code);
      expect(await send()).to.deep.include({ status: code, problem: "NOT_ACCEPTED" });
    }
  });

  it("follows no redirect, and says where it leads", async () => {
    receiver.answer = status(308, { Location: "/elsewhere" });
    const { problem, message } = await send();
    expect(problem).to.equal("REDIRECT");
    expect(message).to.contain(`redirects to http://127.0.0.1:${receiver.port}/elsewhere: give that URL`);
    expect(receiver.got).to.have.length(1);
  });

  it("hears how long to wait of 429 and 503 alone, within bounds", async () => {
    const asked = async (code: number, value: string) => {
      receiver.answer = status(code, { "Retry-After": value });
      return (await send()).retryAfter;
    };
    expect(await asked(429, "120")).to.equal(120_000);
    expect(await asked(503, "999999999")).to.equal(6 * 3_600_000);
    expect(await asked(503, new Date(Date.now() + 60_000).toUTCString())).to.be.within(50_000, 60_000);
    expect(await asked(503, "soon")).to.equal(undefined);
    expect(await asked(500, "120")).to.equal(undefined);
  });

  it("decompresses nothing", async () => {
    const bomb = gzipSync(Buffer.alloc(10_000_000));
    receiver.answer = status(200, { "Content-Encoding": "gzip" }, bomb.toString("latin1"));
    expect(await send()).to.deep.include({ problem: undefined, status: 200 });
  });

  it("is sent by a new connection where the receiver has closed the one that was kept", async () => {
    const own = createAgents(4);
    let connections = 0;
    const sockets = new Set<net.Socket>();
    const server = net.createServer((socket) => {
      connections += 1;
      sockets.add(socket);
      socket.on("error", () => undefined);
      let requests = 0;
      socket.on("data", () => {
        requests += 1;
        if (requests > 1) socket.resetAndDestroy();
        else socket.write("HTTP/1.1 204 No Content\r\n\r\n");
      });
    });
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
    const { port } = server.address() as AddressInfo;
    for (let count = 0; count < 2; count += 1) {
      expect(await send(`http://127.0.0.1:${port}/`, { agents: own })).to.deep.include({ status: 204 });
    }
    expect(connections).to.equal(2);
    own.close();
    for (const socket of sockets) socket.destroy();
    server.close();
  });

  describe("fails in bounded time where the receiver", () => {
    /** Answers by bytes, on a connection of its own. */
    async function answeredBy(speak: (socket: net.Socket) => void, options?: Partial<PostOptions>) {
      const sockets = new Set<net.Socket>();
      const server = net.createServer((socket) => {
        sockets.add(socket);
        socket.on("error", () => undefined);
        socket.once("data", () => speak(socket));
      });
      await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
      try {
        const { port } = server.address() as AddressInfo;
        const outcome = await send(`http://127.0.0.1:${port}/`, options);
        expect(outcome.duration).to.be.below(2_000);
        expect(outcome.message).to.match(/\.$/);
        return outcome;
      } finally {
        for (const socket of sockets) socket.destroy();
        server.close();
      }
    }
    /** Writes a piece every few milliseconds until the connection ends. */
    const drip = (socket: net.Socket, piece: string, first = "") => {
      socket.write(first);
      const timer = setInterval(() => (socket.destroyed ? clearInterval(timer) : socket.write(piece)), 20);
      socket.on("close", () => clearInterval(timer));
    };

    it("never answers", async () => {
      expect(await answeredBy(() => {})).to.deep.include({ problem: "TIMEOUT", status: undefined });
    });
    it("drips its headers", async () => {
      const outcome = await answeredBy((socket) => drip(socket, "X-A: b\r\n", "HTTP/1.1 200 OK\r\n"));
      expect(outcome.problem).to.equal("TIMEOUT");
    });
    it("drips its body", async () => {
      const head = "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n";
      const outcome = await answeredBy((socket) => drip(socket, "x", head));
      expect(outcome.problem).to.equal("TIMEOUT");
    });
    it("answers by statuses of 1xx without end", async () => {
      const outcome = await answeredBy((socket) => drip(socket, "HTTP/1.1 102 Processing\r\n\r\n"));
      expect(outcome.problem).to.equal("TIMEOUT");
    });
    it("answers by megabytes", async () => {
      const outcome = await answeredBy((socket) => {
        socket.write("HTTP/1.1 200 OK\r\n\r\n");
        const more = () => {
          while (!socket.destroyed && socket.write(Buffer.alloc(65_536, "x")));
        };
        socket.on("drain", more);
        more();
      });
      expect(outcome.problem).to.equal("ANSWER_TOO_LARGE");
    });
    it("closes the connection without an answer", async () => {
      expect((await answeredBy((socket) => socket.end())).problem).to.equal("CONNECTION_FAILED");
      expect((await answeredBy((socket) => socket.destroy())).problem).to.equal("CONNECTION_FAILED");
    });
    it("closes the connection in the middle of its answer", async () => {
      const outcome = await answeredBy((socket) =>
        socket.end("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nhalf"),
      );
      expect(outcome.problem).to.equal("CLOSED_EARLY");
      const chunked = await answeredBy((socket) =>
        socket.end("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhalf"),
      );
      expect(chunked.problem).to.equal("CLOSED_EARLY");
    });
    it("speaks no HTTP", async () => {
      expect((await answeredBy((socket) => socket.end("220 mail.example\r\n\r\n"))).problem).to.equal(
        "INVALID_ANSWER",
      );
    });
    it("answers by huge headers", async () => {
      const head = `HTTP/1.1 200 OK\r\n${"X-A: bbbbbbbbbbbbbbbbbbbbbbbb\r\n".repeat(10_000)}\r\n`;
      expect((await answeredBy((socket) => socket.end(head))).problem).to.equal("INVALID_ANSWER");
    });
    it("changes the protocol", async () => {
      const head = "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n";
      expect((await answeredBy((socket) => socket.write(head))).problem).to.equal("INVALID_ANSWER");
    });
    it("is not there", async () => {
      const gone = await startReceiver();
      await gone.close();
      const { problem, message } = await send(gone.url);
      expect(problem).to.equal("CONNECTION_FAILED");
      expect(message).to.equal("Nothing listens at the receiver's address and port.");
    });
  });

  describe("goes to the addresses that were checked", () => {
    const named = () => `http://hooks.example:${receiver.port}/`;

    it("and to none where one of them is not allowed", async () => {
      const outcome = await send(named(), { resolve: async () => ["127.0.0.1", "10.0.0.1"] });
      expect(outcome.problem).to.equal("ADDRESS_NOT_ALLOWED");
      // Names of the operator's network are not looked up for tenants.
      expect(outcome.message).to.equal(
        "hooks.example has an address that is in no network that the operator opened for http or this port.",
      );
      expect(receiver.got).to.have.length(0);
    });

    it("and to a few of them where a name has thousands", async () => {
      const own = createAgents(1);
      const closed = Array.from({ length: 4_000 }, (_, place) => `127.1.${place >> 8}.${place & 255}`);
      const outcome = await send(named(), { agents: own, resolve: async () => [...closed, "127.0.0.1"] });
      expect(outcome.problem).to.equal("CONNECTION_FAILED");
      expect(receiver.got).to.have.length(0);
      own.close();
    });

    it("although the name has another address by then", async () => {
      let asked = 0;
      // What the name server says first is checked, and what it says later is never asked for.
      const resolve = async () => (asked++ === 0 ? ["127.0.0.1"] : ["169.254.169.254"]);
      const own = createAgents(1);
      expect(await send(named(), { resolve, agents: own })).to.deep.include({ status: 204 });
      expect(asked).to.equal(1);
      own.close();
      const again = createAgents(1);
      expect(await send(named(), { resolve, agents: again })).to.deep.include({
        problem: "ADDRESS_NOT_ALLOWED",
      });
      again.close();
    });

    it("by names that mean this machine neither", async () => {
      const strict = addressRules(["10.0.0.0/8"]);
      const own = createAgents(1);
      const outcome = await send(`http://localhost:${receiver.port}/`, { rules: strict, agents: own });
      expect(outcome.problem).to.equal("ADDRESS_NOT_ALLOWED");
      own.close();
    });

    it("and says that a name is unknown", async () => {
      const own = createAgents(1);
      const resolve = async (host: string) => {
        throw new UnknownHostError(`No address is known for the host ${host}.`);
      };
      expect((await send(named(), { resolve, agents: own })).problem).to.equal("UNKNOWN_HOST");
      own.close();
    });

    it("without a request where the URL has an address that is not allowed", async () => {
      const outcome = await send(receiver.url, { rules: addressRules() });
      expect(outcome.problem).to.equal("ADDRESS_NOT_ALLOWED");
      const metadata = await send("https://169.254.169.254/latest/meta-data/", { rules: addressRules() });
      expect(metadata.problem).to.equal("ADDRESS_NOT_ALLOWED");
      expect(receiver.got).to.have.length(0);
    });

    it("and by no proxy of the environment", async () => {
      process.env["HTTP_PROXY"] = "http://127.0.0.1:1";
      process.env["NODE_USE_ENV_PROXY"] = "1";
      try {
        expect(await send()).to.deep.include({ status: 204 });
      } finally {
        delete process.env["HTTP_PROXY"];
        delete process.env["NODE_USE_ENV_PROXY"];
      }
    });
  });

  describe("by TLS", () => {
    let folder: string;
    let secure: Receiver;
    let cert: string;
    before(async () => {
      folder = mkdtempSync(join(tmpdir(), "receiver-"));
      const [key, certificate] = [join(folder, "key.pem"), join(folder, "cert.pem")];
      const names = "subjectAltName=DNS:hooks.example";
      execFileSync(
        "openssl",
        [
          "req",
          "-x509",
          "-newkey",
          "ec",
          "-pkeyopt",
          "ec_paramgen_curve:prime256v1",
          "-nodes",
          "-days",
          "2",
        ].concat(["-keyout", key, "-out", certificate, "-subj", "/CN=hooks.example", "-addext", names]),
        { stdio: "ignore" },
      );
      cert = readFileSync(certificate, "utf8");
      secure = await startReceiver({ key: readFileSync(key, "utf8"), cert });
    });
    after(async () => {
      await secure.close();
      rmSync(folder, { recursive: true });
    });

    const resolve = async () => ["127.0.0.1"];
    const to = (host: string, ca?: string) => {
      const own = createAgents(1, ca);
      return send(`https://${host}:${secure.port}/`, { resolve, agents: own }).finally(() => own.close());
    };

    it("succeeds where the certificate is trusted and names the host", async () => {
      expect(await to("hooks.example", cert)).to.deep.include({ status: 204, problem: undefined });
    });
    it("fails where it is not trusted", async () => {
      expect((await to("hooks.example")).problem).to.equal("TLS_FAILED");
    });
    it("fails where it names another host", async () => {
      expect((await to("other.example", cert)).problem).to.equal("TLS_FAILED");
    });
    it("fails where the receiver speaks no TLS", async () => {
      const own = createAgents(1);
      const { problem, message } = await send(`https://127.0.0.1:${receiver.port}/`, { agents: own });
      expect(problem).to.equal("TLS_FAILED");
      // Messages of OpenSSL show addresses in memory, and where it was built.
      expect(message).to.match(/^The receiver speaks no TLS that this service does \(\w+\)\.$/);
      own.close();
    });
  });
});
