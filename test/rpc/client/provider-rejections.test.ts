import { expect } from "chai";
import { owner } from "../../support/chain/accounts.ts";
import { createNoise, type Rejection, startStrictProvider } from "../../support/chain/strict-provider.ts";
import { type StrictRig, startStrictRig } from "../../support/rigs/strict-rig.ts";

const noise = createNoise(23);
const http = (status: number, body: string, headers: Record<string, string> = {}): Rejection => ({
  http: { status, body, headers },
});
const page = "<!DOCTYPE html><html><head><title>Attention required</title></head><body>Sorry</body></html>";
const inBody = (code: number, message: string) =>
  JSON.stringify({ jsonrpc: "2.0", id: null, error: { code, message } });

/** How a range of more than ten blocks is rejected, and how a batch of more than three calls is. */
const ways: [string, () => Rejection, () => Rejection][] = [
  [
    "by words that name the limit, and by one error for all",
    () => ({
      error: {
        code: -32_600,
        message: "Under the Free tier plan, you can make eth_getLogs requests with up to a 10 block range.",
      },
    }),
    () => ({ error: { code: -32_600, message: noise() } }),
  ],
  [
    "by words of no meaning, and by fewer answers",
    () => ({ error: { code: -32_000, message: noise() } }),
    () => "fewer",
  ],
  [
    "by a reason in the data of an error, and by HTTP 500",
    () => ({ error: { code: -32_602, message: "invalid params", data: noise() } }),
    () => http(500, noise()),
  ],
  [
    "by HTTP 403 with the reason in JSON, and by HTTP 400 with JSON",
    () => http(403, inBody(-32_000, noise()), { "content-type": "application/json" }),
    () => http(400, inBody(-32_600, noise()), { "content-type": "application/json" }),
  ],
  ["by a page of HTML, and by closing the connection", () => http(403, page), () => "close"],
  ["by an empty body, and by a page with HTTP 200", () => http(200, ""), () => http(200, page)],
  ["by closing the connection, and by an empty body", () => "close", () => http(413, "")],
];

describe("a provider that rejects ranges of more than 10 blocks and batches of more than 3 calls", () => {
  let rig: StrictRig;
  afterEach(() => rig.stop());

  for (const [how, range, batch] of ways) {
    it(`is read to its end when it rejects ${how}`, async function () {
      this.timeout(60_000);
      rig = await startStrictRig({ range: 10, batch: 3 }, { range, batch });
      for (let made = 0; made < 12; made += 1) {
        await rig.createTogether(1 + (made % 2));
        await rig.mine(5);
      }
      await rig.mine(140);
      await rig.startIndexer();
      await rig.holds(18, 40);
      await rig.caughtUp(40);
      expect(rig.provider.largest.range).to.be.within(5, 10);
      expect(rig.provider.largest.batch).to.be.within(2, 3);
      expect(rig.provider.counts.rejectedRanges).to.be.at.least(1);
      expect(rig.provider.counts.rejectedBatches).to.be.at.least(1);
    });
  }

  it("is read to its end when it takes no batch at all and allows one block", async function () {
    this.timeout(60_000);
    rig = await startStrictRig({ range: 1, batch: 1 }, { batch: () => "close" });
    for (let made = 0; made < 6; made += 1) {
      await rig.createTogether(1);
      await rig.mine(3);
    }
    await rig.mine(135);
    await rig.startIndexer();
    await rig.holds(6, 40);
    await rig.caughtUp(40);
    expect(rig.provider.counts.batches).to.equal(0);
  });

  it("is read from receipts where it gives no logs at all, of each transaction where it has no others", async function () {
    this.timeout(60_000);
    rig = await startStrictRig(
      { without: ["eth_getLogs", "eth_getBlockReceipts"] },
      { other: () => ({ error: { code: -32_000, message: noise() } }) },
    );
    for (let made = 0; made < 3; made += 1) {
      await rig.createTogether(2);
      await rig.mine(2);
    }
    await rig.mine(130);
    await rig.createTogether(1);
    await rig.mine();
    await rig.startIndexer();
    await rig.holds(7, 40);
    await rig.caughtUp(40);
  });
});

describe("a provider that is away, or ill, while old blocks are read", () => {
  let rig: StrictRig;
  afterEach(() => rig.stop());

  it("is asked for large ranges again once it is well, and for little while it is not", async function () {
    this.timeout(60_000);
    rig = await startStrictRig();
    await rig.mine(400);
    await rig.createTogether(1);
    await rig.mine(140);
    const ill = () => http(503, noise());
    const asked = ["eth_getLogs", "eth_getBlockReceipts", "eth_getBlockByHash", "eth_getTransactionReceipt"];
    for (const method of asked) rig.provider.change(method, ill);
    await rig.startIndexer();
    // Headers come, logs do not, not in the smallest range: nothing says that ranges are too large.
    await rig.afterTrouble(2);
    const calls = rig.provider.counts.calls;
    await rig.afterTrouble(1);
    expect(rig.provider.counts.calls - calls, "calls of one attempt").to.be.below(300);
    for (const method of asked) rig.provider.change(method, (result) => result);
    await rig.holds(1, 40);
    await rig.caughtUp(40);
    expect(rig.provider.largest.range, "the largest range, in the end").to.be.at.least(40);
  });
});

describe("a provider that knows a block by its number only", () => {
  let rig: StrictRig;
  afterEach(() => rig.stop());

  it("is asked for the logs of a new block by its number", async () => {
    rig = await startStrictRig(
      { logsByHash: false },
      { other: () => ({ error: { code: -32_602, message: noise() } }) },
    );
    await rig.startIndexer();
    await rig.caughtUp();
    await rig.createTogether(2);
    await rig.mine();
    await rig.holds(2);
  });

  it("is asked for nonces by the number, so that a cancelled transaction is found", async () => {
    rig = await startStrictRig(
      { blockObjects: false },
      { other: () => ({ error: { code: -32_602, message: noise() } }) },
    );
    await rig.startIndexer();
    const { id } = await rig.requestCreation();
    const signed = await rig.sign((await rig.find(id)).calldata);
    await rig.submit(id, signed);
    await rig.reach(id, "Submitted");
    const instead = await rig.sign("0x", { nonce: signed.nonce, to: owner.address, tip: 9_000_000_000n });
    await rig.send(instead.raw);
    await rig.mine();
    await rig.reach(id, "RevokedByUser", 20);
  });
});

describe("a new block with more logs than a provider answers at once", () => {
  let rig: StrictRig;
  afterEach(() => rig.stop());

  it("is read from its receipts, whatever the provider says", async () => {
    rig = await startStrictRig(
      { results: 20 },
      { range: () => ({ error: { code: -32_000, message: noise() } }) },
    );
    await rig.startIndexer();
    await rig.caughtUp();
    await rig.createTogether(30);
    await rig.mine();
    await rig.holds(30);
  });
});

describe("a provider that redirects", () => {
  it("is followed on its host with the same call, and named where it leads to another", async () => {
    const { connectNode } = await import("../../../rpc/node.ts");
    const { redirectTarget } = await import("../../../domain/url/redirect.ts");
    const { createServer } = await import("node:http");
    const bodies: string[] = [];
    let elsewhere: string | undefined;
    const server = createServer(async (request, response) => {
      const { text } = await import("node:stream/consumers");
      const body = await text(request);
      if (request.url !== "/v1/secret-key-of-mine") {
        const location = elsewhere ?? "/v1/secret-key-of-mine";
        return void response.writeHead(308, { location }).end("moved");
      }
      bodies.push(`${request.method} ${body}`);
      response.end(JSON.stringify({ jsonrpc: "2.0", id: JSON.parse(body).id, result: "0x7a69" }));
    }).listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    const { port } = server.address() as { port: number };
    const url = `http://127.0.0.1:${port}/secret-key-of-mine`;
    const node = connectNode([url]);
    expect(await node.chainId()).to.equal(31_337);
    node.close();
    expect(bodies).to.have.length(1);
    expect(bodies[0]).to.match(/^POST .*eth_chainId/);

    elsewhere = "https://elsewhere.example/secret-key-of-mine";
    const strange = connectNode([url]);
    const problem = await strange.chainId().catch((error: Error) => error.message);
    strange.close();
    server.close();
    expect(problem)
      .to.match(/redirects to https:\/\/elsewhere\.example \(HTTP 308\)/)
      .and.not.match(/secret/);

    const from = new URL("http://user:pass@rpc.example/key");
    const secure = redirectTarget(from, 301, "https://rpc.example/key");
    expect(secure?.href).to.equal("https://user:pass@rpc.example/key");
    expect(redirectTarget(from, 200, "https://rpc.example/")).to.equal(undefined);
    for (const location of [
      "http://rpc.example:8545/",
      "https://example/",
      "file:///etc/passwd",
      "http://",
    ]) {
      expect(() => redirectTarget(from, 302, location), location).to.throw(/redirect|no URL/);
    }
    expect(() => redirectTarget(new URL("https://rpc.example"), 307, "http://rpc.example/")).to.throw(
      /another host/,
    );
  });
});

describe("a provider whose connections end while they are kept", () => {
  it("is asked again on a new one", async () => {
    const { connectNode } = await import("../../../rpc/node.ts");
    const { startAnvil } = await import("../../support/chain/anvil.ts");
    const anvil = await startAnvil();
    const provider = await startStrictProvider(anvil.url);
    const node = connectNode([provider.url]);
    try {
      expect(await node.chainId()).to.equal(31_337);
      provider.hangUp();
      expect((await node.header("latest"))?.number).to.equal(0);
    } finally {
      node.close();
      provider.stop();
      await anvil.stop();
    }
  });
});
