import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect } from "chai";
import { background } from "../../../rpc/client/policy.ts";
import { connectProvider } from "../../../rpc/client/provider.ts";
import type { Rpc } from "../../../rpc/client/rpc.ts";

describe("a redirect that leads nowhere any more", () => {
  let server: Server;
  let rpc: Rpc;
  /** Paths that were asked. */
  let asked: string[];
  let reject: ((response: ServerResponse) => unknown) | undefined;

  beforeEach(async () => {
    [asked, reject] = [[], undefined];
    const answer = (response: ServerResponse, id: number) =>
      response.end(JSON.stringify({ jsonrpc: "2.0", id, result: "0x1" }));
    let id = 0;
    server = createServer((request, response) => {
      asked.push(request.url ?? "");
      request.resume().on("end", () => {
        if (request.url === "/" && reject === undefined) {
          return response.writeHead(307, { location: "/old" }).end();
        }
        id += 1;
        return request.url === "/old" && reject ? reject(response) : answer(response, id);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    rpc = connectProvider(url, { policy: { ...background, timeoutMs: 1_000 } });
  });
  afterEach(() => {
    rpc.close();
    server.close().closeAllConnections();
  });

  const call = { method: "eth_chainId", params: [] };

  for (const [what, how] of [
    ["another status", (response) => response.writeHead(404).end("gone")],
    [
      "another status with an error of the node",
      (response) => response.writeHead(400).end(JSON.stringify({ error: { code: 3, message: "reverted" } })),
    ],
    ["a page", (response) => response.end("<html>")],
    ["the end of the connection", (response) => response.destroy()],
  ] as [string, (response: ServerResponse) => unknown][]) {
    it(`is forgotten after ${what}`, async () => {
      expect(await rpc.request(call)).to.equal("0x1");
      expect(await rpc.request(call)).to.equal("0x1");
      expect(asked).to.deep.equal(["/", "/old", "/old"]);
      reject = how;
      await rpc.request(call).catch(() => undefined);
      asked = [];
      await rpc.request(call).catch(() => undefined);
      expect(asked).to.deep.equal(["/"]);
    });
  }
});
