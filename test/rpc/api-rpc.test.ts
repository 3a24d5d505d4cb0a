import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { expect } from "chai";
import { connectRpc } from "../../rpc/api/rpc.ts";

type Call = { id: number; method: string };
type Reply = (calls: Call | Call[], response: ServerResponse) => unknown;

describe("a node's URL that the API asks", () => {
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

  const askAll = (ask: ReturnType<typeof connectRpc>, methods: string[]) =>
    Promise.all(methods.map((method) => ask({ method }).catch((error: Error) => error.name)));

  it("gets calls of one turn in one request, and one alone as it is", async () => {
    const ask = connectRpc(url, 1000);
    expect(await askAll(ask, ["a", "b", "c"])).to.deep.equal(["A", "B", "C"]);
    expect(await askAll(ask, ["d"])).to.deep.equal(["D"]);
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
    expect(await askAll(connectRpc(url, 1000), ["a", "b", "c"])).to.deep.equal(["A", "RpcRequestError", "C"]);
  });

  for (const [what, refusal] of [
    ["by an error", () => ({ jsonrpc: "2.0", id: null, error: { code: -32600, message: "no batches" } })],
    ["by a list that is too short", () => []],
    ["by the status 400", (_calls, response) => void response.writeHead(400).end("no batches")],
    ["by the status 500", (_calls, response) => void response.writeHead(500).end("no batches")],
    ["by a page", (_calls, response) => void response.end("<html>")],
    ["by closing the connection", (_calls, response) => void response.destroy()],
  ] as [string, Reply][]) {
    it(`that refuses them together ${what} gets them one by one, from then on too`, async () => {
      reply = (calls, response) => (Array.isArray(calls) ? refusal(calls, response) : answer(calls));
      const ask = connectRpc(url, 1000);
      expect(await askAll(ask, ["a", "b"])).to.deep.equal(["A", "B"]);
      expect(await askAll(ask, ["c", "d"])).to.deep.equal(["C", "D"]);
      expect(requests.map(({ length }) => length)).to.deep.equal([2, 1, 1, 1, 1]);
    });
  }

  it("that is out of order gets one of them alone, and no more", async () => {
    reply = (_calls, response) => void response.writeHead(500).end("ill");
    const said = await askAll(connectRpc(url, 1000), ["a", "b", "c"]);
    expect(said).to.deep.equal(["HttpRequestError", "HttpRequestError", "HttpRequestError"]);
    expect(requests).to.deep.equal([["a", "b", "c"], ["a"]]);
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
    const ask = connectRpc(`http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}`, 1000);
    expect(await askAll(ask, ["a"])).to.deep.equal(["A"]);
    expect(await askAll(ask, ["b"])).to.deep.equal(["B"]);
    expect(redirects).to.equal(1);
    elsewhere.close().closeAllConnections();
  });

  for (const [what, refuse] of [
    ["refuses", (response) => response.writeHead(404).end("gone")],
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
        if (moved) return void refuse(response);
        response.end(JSON.stringify(answer(JSON.parse(await text(request)) as Call)));
      });
      await new Promise<void>((resolve) => elsewhere.listen(0, "127.0.0.1", resolve));
      const ask = connectRpc(`http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}`, 1000);
      try {
        expect(await askAll(ask, ["a"])).to.deep.equal(["A"]);
        moved = true;
        expect(await askAll(ask, ["b"])).to.not.deep.equal(["B"]);
        expect(await askAll(ask, ["c"])).to.deep.equal(["C"]);
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
      expect(await askAll(connectRpc(url, 1000), ["a", "b"])).to.deep.equal(["A", "B"]);
    });
  }

  for (const [what, send] of [
    ["in an unknown way", (response) => response.setHeader("content-encoding", "zstd").end("?")],
    ["and broken", (response) => response.setHeader("content-encoding", "gzip").end("no gzip")],
    [
      "and larger than any answer",
      (response) =>
        response.setHeader("content-encoding", "gzip").end(gzipSync(Buffer.alloc(11 * 1024 * 1024, " "))),
    ],
  ] as [string, (response: ServerResponse) => unknown][]) {
    it(`has failed where its answer is packed ${what}, and the next one counts`, async () => {
      reply = (_calls, response) => void send(response);
      const ask = connectRpc(url, 5000);
      expect(await askAll(ask, ["a"])).to.deep.equal(["HttpRequestError"]);
      reply = honest;
      expect(await askAll(ask, ["b"])).to.deep.equal(["B"]);
    });
  }

  for (const status of [429, 503]) {
    it(`that answers ${status} is not asked for each of them beside that`, async () => {
      reply = (_calls, response) => void response.writeHead(status).end("later");
      const said = await askAll(connectRpc(url, 1000), ["a", "b"]);
      expect(said).to.deep.equal(["HttpRequestError", "HttpRequestError"]);
      expect(requests).to.have.length(1);
    });
  }

  it("that says nothing is late", async () => {
    reply = () => undefined;
    expect(await askAll(connectRpc(url, 50), ["a", "b"])).to.deep.equal(["TimeoutError", "TimeoutError"]);
  });

  it("that has closed a kept connection is asked again over a new one", async () => {
    const ask = connectRpc(url, 1000);
    expect(await askAll(ask, ["a"])).to.deep.equal(["A"]);
    reply = (_calls, response) => {
      reply = honest;
      // As if it had been closed just before the call came.
      response.socket?.resetAndDestroy();
      return undefined;
    };
    expect(await askAll(ask, ["b"])).to.deep.equal(["B"]);
  });
});
