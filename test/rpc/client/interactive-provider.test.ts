import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { expect } from "chai";
import { interactive } from "../../../rpc/client/policy.ts";
import { connectProvider } from "../../../rpc/client/provider.ts";
import type { Rpc } from "../../../rpc/client/rpc.ts";
import type { NodeError } from "../../../rpc/errors/node-error.ts";

type Call = { id: number; method: string };
type Reply = (calls: Call | Call[], response: ServerResponse) => unknown;

describe("a provider's URL, where somebody waits for the answers", () => {
  let server: Server;
  let url: string;
  /** Methods of each HTTP request. */
  let requests: string[][];
  let reply: Reply;

  const answer = ({ id, method }: Call) => ({ jsonrpc: "2.0", id, result: method.toUpperCase() });
  const honest: Reply = (calls) => (Array.isArray(calls) ? calls.map(answer) : answer(calls));

  before(async () => {
    server = createServer(async (request, response) => {
      const calls = JSON.parse(await text(request)) as Call | Call[];
      requests.push([calls].flat().map(({ method }) => method));
      const said = reply(calls, response);
      if (said !== undefined) response.end(JSON.stringify(said));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(() => void server.close().closeAllConnections());
  beforeEach(() => {
    [requests, reply] = [[], honest];
  });

  const connect = (to: string, timeoutMs = 1_000) =>
    connectProvider(to, { policy: { ...interactive, timeoutMs } });
  /** What each call is answered, or the reason why it is not. */
  const askAll = (rpc: Rpc, methods: string[]) =>
    Promise.all(
      methods.map((method) => rpc.request({ method, params: [] }).catch((error: NodeError) => error.reason)),
    );

  it("gets calls of one turn in one request, and one alone as it is", async () => {
    const rpc = connect(url);
    expect(await askAll(rpc, ["a", "b", "c"])).to.deep.equal(["A", "B", "C"]);
    expect(await askAll(rpc, ["d"])).to.deep.equal(["D"]);
    expect(requests).to.deep.equal([["a", "b", "c"], ["d"]]);
  });

  it("may answer them in any order, and one by an error", async () => {
    reply = (calls) =>
      [calls]
        .flat()
        .map((call) =>
          call.method === "b" ? { id: call.id, error: { code: 3, message: "no" } } : answer(call),
        )
        .toReversed();
    expect(await askAll(connect(url), ["a", "b", "c"])).to.deep.equal(["A", "rpc_error", "C"]);
  });

  for (const [what, rejection] of [
    ["by an error", () => ({ jsonrpc: "2.0", id: null, error: { code: -32600, message: "no batches" } })],
    ["by a list that is too short", () => []],
    ["by the status 400", (_calls, response) => void response.writeHead(400).end("no batches")],
    ["by the status 500", (_calls, response) => void response.writeHead(500).end("no batches")],
    ["by a page", (_calls, response) => void response.end("<html>")],
    ["by closing the connection", (_calls, response) => void response.destroy()],
  ] as [string, Reply][]) {
    it(`that rejects them together ${what} gets them one by one, from then on too`, async () => {
      reply = (calls, response) => (Array.isArray(calls) ? rejection(calls, response) : answer(calls));
      const rpc = connect(url);
      expect(await askAll(rpc, ["a", "b"])).to.deep.equal(["A", "B"]);
      expect(await askAll(rpc, ["c", "d"])).to.deep.equal(["C", "D"]);
      expect(requests.map(({ length }) => length)).to.deep.equal([2, 1, 1, 1, 1]);
    });
  }

  it("that is out of order gets one of them alone, and no more", async () => {
    reply = (_calls, response) => void response.writeHead(500).end("ill");
    const said = await askAll(connect(url), ["a", "b", "c"]);
    expect(said).to.deep.equal(["http_status", "http_status", "http_status"]);
    expect(requests).to.deep.equal([["a", "b", "c"], ["c"]]);
  });

  it("that redirects on its host is followed, with the same call", async () => {
    let redirects = 0;
    const elsewhere = createServer(async (request, response) => {
      if (request.url !== "/rpc") {
        redirects += 1;
        return void response.writeHead(301, { location: "/rpc" }).end();
      }
      response.end(JSON.stringify(answer(JSON.parse(await text(request)) as Call)));
    });
    await new Promise<void>((resolve) => elsewhere.listen(0, "127.0.0.1", resolve));
    const rpc = connect(`http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}`);
    expect(await askAll(rpc, ["a"])).to.deep.equal(["A"]);
    expect(await askAll(rpc, ["b"])).to.deep.equal(["B"]);
    expect(redirects).to.equal(1);
    elsewhere.close().closeAllConnections();
  });

  for (const [what, reject] of [
    ["rejects", (response) => response.writeHead(404).end("gone")],
    ["ends the connection", (response) => response.destroy()],
    ["answers by a page", (response) => response.end("<html>")],
  ] as [string, (response: ServerResponse) => unknown][]) {
    it(`is asked at its configured address again where what it redirected to ${what}`, async () => {
      let moved = false;
      const elsewhere = createServer(async (request, response) => {
        if (request.url !== "/old") {
          if (!moved) return void response.writeHead(307, { location: "/old" }).end();
          return void response.end(JSON.stringify(answer(JSON.parse(await text(request)) as Call)));
        }
        if (moved) return void reject(response);
        response.end(JSON.stringify(answer(JSON.parse(await text(request)) as Call)));
      });
      await new Promise<void>((resolve) => elsewhere.listen(0, "127.0.0.1", resolve));
      const rpc = connect(`http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}`);
      try {
        expect(await askAll(rpc, ["a"])).to.deep.equal(["A"]);
        moved = true;
        expect(await askAll(rpc, ["b"])).to.not.deep.equal(["B"]);
        expect(await askAll(rpc, ["c"])).to.deep.equal(["C"]);
      } finally {
        elsewhere.close().closeAllConnections();
      }
    });
  }

  for (const [encoding, packed] of [
    ["gzip", gzipSync],
    ["x-gzip", gzipSync],
    ["deflate", deflateSync],
    ["br", brotliCompressSync],
    ["identity", Buffer.from],
  ] as [string, (body: string) => Buffer][]) {
    it(`is read where a proxy packs its answers as ${encoding}`, async () => {
      reply = (calls, response) => {
        const body = packed(JSON.stringify(honest(calls, response)));
        response.setHeader("content-encoding", encoding).end(body);
      };
      expect(await askAll(connect(url), ["a", "b"])).to.deep.equal(["A", "B"]);
    });
  }

  for (const [what, reason, send] of [
    ["in an unknown way", "not_json", (response) => response.setHeader("content-encoding", "zstd").end("?")],
    [
      "and broken",
      "unreachable",
      (response) => response.setHeader("content-encoding", "gzip").end("no gzip"),
    ],
    [
      "and larger than any answer",
      "too_much",
      (response) =>
        response.setHeader("content-encoding", "gzip").end(gzipSync(Buffer.alloc(11 * 1024 * 1024, " "))),
    ],
  ] as [string, string, (response: ServerResponse) => unknown][]) {
    it(`has failed where its answer is packed ${what}, and the next one counts`, async () => {
      reply = (_calls, response) => void send(response);
      const rpc = connect(url, 5000);
      expect(await askAll(rpc, ["a"])).to.deep.equal([reason]);
      reply = honest;
      expect(await askAll(rpc, ["b"])).to.deep.equal(["B"]);
    });
  }

  for (const [status, reason, most] of [
    [429, "rate_limited", 1],
    [503, "http_status", 2],
  ] as const) {
    it(`that answers ${status} is not asked for each of them beside that`, async () => {
      reply = (_calls, response) => void response.writeHead(status).end("later");
      const said = await askAll(connect(url), ["a", "b", "c"]);
      expect(said).to.deep.equal([reason, reason, reason]);
      expect(requests).to.have.length(most);
    });
  }

  it("that says nothing is late", async () => {
    reply = () => undefined;
    expect(await askAll(connect(url, 50), ["a", "b"])).to.deep.equal(["timeout", "timeout"]);
  });

  it("that has closed a kept connection is asked again over a new one", async () => {
    const rpc = connect(url);
    expect(await askAll(rpc, ["a"])).to.deep.equal(["A"]);
    reply = (_calls, response) => {
      reply = honest;
      // As if it had been closed just before the call came.
      response.socket?.resetAndDestroy();
      return undefined;
    };
    expect(await askAll(rpc, ["b"])).to.deep.equal(["B"]);
  });
});
