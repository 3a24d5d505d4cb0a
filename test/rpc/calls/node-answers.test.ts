import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { expect } from "chai";
import { ChainMovedError } from "../../../rpc/errors/chain-errors.ts";
import { type NodeError, RpcError } from "../../../rpc/errors/node-error.ts";
import { connectNode } from "../../../rpc/node.ts";
import { other } from "../../support/chain/accounts.ts";

type Call = { id: number; method: string; params: unknown[] };
const hash = (digits: string): `0x${string}` => `0x${digits.repeat(32)}`;

describe("what the indexer makes of a node's answers", () => {
  let server: Server;
  let node: ReturnType<typeof connectNode>;
  let answer: (call: Call) => object;
  let pack: { encoding?: string; how: (body: string) => Buffer | string };
  let asList: boolean;
  let status: number;

  beforeEach(async () => {
    pack = { how: (body) => body };
    asList = false;
    status = 200;
    server = createServer(async (request, response) => {
      const body = JSON.parse(await text(request)) as Call | Call[];
      const said = [body].flat().map((call) => ({ jsonrpc: "2.0", id: call.id, ...answer(call) }));
      response.statusCode = status;
      if (pack.encoding !== undefined) response.setHeader("content-encoding", pack.encoding);
      response.end(pack.how(JSON.stringify(Array.isArray(body) || asList ? said : said[0])));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    node = connectNode([`http://127.0.0.1:${(server.address() as AddressInfo).port}`]);
  });
  afterEach(() => {
    node.close();
    server.close().closeAllConnections();
  });

  const block = (fields: object = {}) => ({
    result: { number: "0x10", hash: hash("AB"), parentHash: hash("cd"), timestamp: "0x65", ...fields },
  });

  it("reads a header with leading zeros, capital letters, numbers as JSON has them, and without a filter", async () => {
    for (const fields of [
      { number: "0x0010" },
      { number: "0X10", hash: `0X${"AB".repeat(32)}` },
      { number: 16, timestamp: 101 },
      { logsBloom: "0x", baseFeePerGas: "" },
      { logsBloom: null, baseFeePerGas: null },
    ]) {
      answer = () => block(fields);
      const found = await node.header(16);
      expect(found, JSON.stringify(fields)).to.deep.equal({
        number: 16,
        hash: hash("ab"),
        parentHash: hash("cd"),
        timestamp: 101,
        logsBloom: undefined,
        baseFeePerGas: undefined,
      });
    }
  });

  it("reads the status of a receipt in every form, and by its logs where there is none", async () => {
    for (const [fields, reverted] of [
      [{ status: "0x1" }, false],
      [{ status: "0x01" }, false],
      [{ status: 1 }, false],
      [{ status: true }, false],
      [{ status: "0x0" }, true],
      [{ status: 0 }, true],
      [{ status: false }, true],
      [{ root: hash("11"), logs: [{}] }, false],
      [{ root: hash("11"), logs: [] }, true],
    ] as const) {
      answer = () => ({
        result: {
          transactionHash: hash("FF"),
          blockNumber: "0x10",
          blockHash: hash("ab"),
          gasUsed: "0x5208",
          ...fields,
        },
      });
      expect((await node.receipt(hash("ff")))?.reverted, JSON.stringify(fields)).to.equal(reverted);
    }
  });

  describe("about a hash", () => {
    const place = { blockHash: hash("ab"), blockNumber: "0x10" };
    const receipt = (of: string) => ({ transactionHash: of, ...place, gasUsed: "0x5208", logs: [] });
    const transaction = (of: string) => ({
      hash: of,
      ...place,
      from: other.address,
      value: "0x0",
      nonce: "0x7",
      gas: "0x5208",
    });
    for (const [what, ask, result] of [
      ["a receipt", () => node.receipt(hash("ff")), receipt],
      ["a transaction", () => node.transaction(hash("ff")), transaction],
      ["a header", () => node.headerOf(hash("ff")), (of) => block({ hash: of }).result],
    ] as [string, () => Promise<object | undefined>, (of: string) => object][]) {
      it(`takes ${what} in whatever letters it names it, and none that is about another`, async () => {
        answer = () => ({ result: result(hash("FF")) });
        expect(await ask()).to.be.an("object");
        answer = () => ({ result: null });
        expect(await ask()).to.equal(undefined);
        answer = () => ({ result: result(hash("ee")) });
        const problem = await ask().catch((error: NodeError) => error);
        expect(problem).to.include({ reason: "bad_answer" });
        expect(String(problem)).to.contain(`it is about ${hash("ee")}`);
      });
    }

    it("takes no block's logs where one of its receipts is another's, or missing", async () => {
      let second: object | null = receipt(hash("02"));
      answer = ({ method, params: [of] }) => {
        if (method === "eth_getBlockReceipts") return { error: { code: -32_601, message: "not supported" } };
        if (method === "eth_getBlockByHash")
          return { result: { hash: hash("ab"), transactions: [hash("01"), hash("02")] } };
        return { result: of === hash("01") ? receipt(hash("01")) : second };
      };
      const logs = () => node.logsOfReceipts(other.address, { number: 16, hash: hash("ab") });
      expect(await logs()).to.deep.equal([]);
      for (const wrong of [receipt(hash("01")), null]) {
        second = wrong;
        expect(await logs().catch((error: NodeError) => error.reason)).to.equal("bad_answer");
      }
    });
  });

  it("takes it at its word that it has pruned a state, instead of waiting for the end of a rate limit", async () => {
    for (const message of [
      "BlockOutOfRangeError: block height is 2130 but requested was 0",
      "required historical state unavailable (reexec=0)",
      "missing trie node 7b16 (path ) state 0x7b16 is not available",
      "state at block #16 is pruned",
      "No state available for block 0x10",
      "World state unavailable",
    ]) {
      answer = () => block();
      // Rejections of a provider that is not busy are taken at face value anyway.
      for (let calls = 0; calls < 5; calls += 1) await node.header(16);
      const asked: string[] = [];
      answer = ({ method }) => {
        asked.push(method);
        return { error: { code: -32_602, message } };
      };
      expect(await node.codeAt(other.address, 16).catch(String)).to.contain(message);
      expect(asked, message).to.deep.equal(["eth_getCode"]);
    }
  });

  for (const [encoding, how] of [
    ["gzip", gzipSync],
    ["x-gzip", gzipSync],
    ["deflate", deflateSync],
    ["br", brotliCompressSync],
  ] as const) {
    it(`unpacks ${encoding}, though nobody asked for it`, async () => {
      pack = { encoding, how: (body) => how(body) };
      answer = () => ({ result: "0x7a69" });
      expect(await node.chainId()).to.equal(31_337);
    });
  }

  it("names a packing that it does not know", async () => {
    pack = { encoding: "compress", how: (body) => body };
    answer = () => ({ result: "0x7a69" });
    const problem = await node.chainId().catch((error: Error) => error.message);
    expect(problem).to.match(/packed in a way that is unknown: compress/);
  });

  it("takes the answer to a single call out of a list", async () => {
    asList = true;
    answer = () => ({ result: "0x7a69" });
    expect(await node.chainId()).to.equal(31_337);
  });

  it("reads why a transaction was rejected out of any HTTP status, and out of the data of an error", async () => {
    const { readSendError } = await import("../../../rpc/errors/send-outcome.ts");
    const words = "insufficient funds for gas * price + value";
    for (const [code, error] of [
      [400, { code: -32_000, message: words }],
      [403, { code: -32_000, message: words }],
      [500, { code: -32_000, message: words }],
      [200, { code: -32_602, message: "invalid params", data: words }],
      [422, { code: -32_602, message: "invalid params", data: { reason: words } }],
    ] as const) {
      status = code;
      answer = () => ({ error });
      const failure = await node.send("0x02").catch((problem: unknown) => problem);
      expect(readSendError(failure), String(code)).to.deep.equal(
        readSendError(new RpcError("eth_sendRawTransaction", { code: -32_000, message: words })),
      );
      expect((failure as RpcError).said).to.include(words);
    }
  });

  it("believes no nonce by the number while another block is there before or after", async () => {
    let lookups = 0;
    const rejected = { error: { code: -32_602, message: "invalid argument 1: hex string expected" } };
    answer = ({ method, params }) => {
      if (method === "eth_getBlockByHash") return block();
      if (method === "eth_getTransactionCount")
        return typeof params[1] === "string" ? { result: "0x7" } : rejected;
      lookups += 1;
      return lookups === 2 ? block({ hash: hash("ee") }) : block();
    };
    const failure = await node.nonceAt(other.address, hash("ab")).catch((error: unknown) => error);
    expect(failure).to.be.instanceOf(ChainMovedError);
    expect(await node.nonceAt(other.address, hash("ab"))).to.equal(7n);
  });

  it("takes no error of a node that names no head either for a missing block", async () => {
    answer = () => ({ error: { code: -32_000, message: "xyz" } });
    const problem = await node.header(16).catch((error: Error) => error.message);
    expect(problem).to.match(/error -32000: xyz/);
    answer = ({ params }) =>
      params[0] === "latest" ? block() : { error: { code: -32_000, message: "xyz" } };
    expect(await node.header(17)).to.equal(undefined);
  });
});
