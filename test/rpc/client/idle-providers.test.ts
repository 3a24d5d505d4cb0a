import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { expect } from "chai";
import { readProviders, storeProviders } from "../../../db/service/providers.ts";
import { connectProvider } from "../../../rpc/client/provider.ts";
import { createProviders, type Providers } from "../../../rpc/client/providers.ts";
import { useDatabase } from "../../db/rows.ts";

describe("what an idle provider answers", () => {
  const store = useDatabase();
  let server: Server;
  let providers: Providers;
  let reply: (id: number, response: ServerResponse) => unknown;

  beforeEach(async () => {
    server = createServer(async (request, response) => {
      reply((JSON.parse(await text(request)) as { id: number }).id, response);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const rpcs = [url, url].map((one) => connectProvider(one));
    providers = createProviders(rpcs, {});
  });
  afterEach(() => {
    providers.close();
    server.close().closeAllConnections();
  });

  /** As with each sign of life. */
  async function noted() {
    await providers.lookAtIdle();
    const known = providers.health().map(({ head: headBlock, ...health }) => ({ ...health, headBlock }));
    await storeProviders(store.pool, known);
    return (await readProviders(store.pool))[1];
  }

  for (const [head, expected] of [
    ["0x10", 16],
    [17, 17],
    ["0x", undefined],
    ["0xffffffffffffffff", undefined],
    [`0x${"f".repeat(100_000)}`, undefined],
    ["", undefined],
    ["latest", undefined],
    ["-0x1", undefined],
    [1.5, undefined],
    [null, undefined],
    [{ number: "0x1" }, undefined],
  ] as const) {
    it(`can be stored: the block number ${JSON.stringify(head).slice(0, 30)}`, async () => {
      reply = (id, response) => response.end(JSON.stringify({ jsonrpc: "2.0", id, result: head }));
      const row = await noted();
      expect(row?.up).to.equal(true);
      expect(row?.headBlock).to.equal(expected);
    });
  }

  it("is not shown any more once no indexer has noted it for a minute", async () => {
    reply = (id, response) => response.end(JSON.stringify({ jsonrpc: "2.0", id, result: "0x10" }));
    await noted();
    const age = (seconds: number) =>
      store.pool.query("update service.providers set noted_at = now() - make_interval(secs => $1)", [
        seconds,
      ]);
    await age(50);
    expect(await readProviders(store.pool)).to.have.length(2);
    await age(61);
    expect(await readProviders(store.pool)).to.deep.equal([]);
    expect((await noted())?.headBlock).to.equal(16);
  });

  it("is no head any more once it names none", async () => {
    for (const [result, expected] of [
      ["0x10", 16],
      ["0x", undefined],
    ]) {
      reply = (id, response) => response.end(JSON.stringify({ jsonrpc: "2.0", id, result }));
      expect((await noted())?.headBlock).to.equal(expected);
    }
  });

  const rejections: [string, typeof reply][] = [
    ["HTTP 500", (_id, response) => response.writeHead(500).end("ill\0 \u0007here")],
    ["a page", (_id, response) => response.end("<html>ill\0 \u0007here")],
    [
      "a JSON-RPC error",
      (id, response) =>
        response.end(
          JSON.stringify({ id, error: { code: 429, message: "rate limit: ill\0 \u0007here \ud800" } }),
        ),
    ],
  ];
  for (const [what, rejection] of rejections) {
    it(`can be stored: ${what} whose words have control characters`, async () => {
      reply = rejection;
      const row = await noted();
      expect(row?.up).to.equal(false);
      expect(row?.problem).to.match(/ill +here/);
    });
  }
});
