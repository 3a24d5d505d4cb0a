import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { expect } from "chai";
import { askNodes } from "../../../cli/src/blocks/nodes.ts";
import type { Io } from "../../../cli/src/io.ts";
import { Problem } from "../../../cli/src/problem.ts";

const [hash, otherHash] = [`0x${"a".repeat(64)}`, `0x${"b".repeat(64)}`];
const at = { chainId: 5, number: 100 };

type Node = { chainId?: string; final?: string | null; hash?: string | null; number?: string };

describe("the block that nodes tell", () => {
  const servers: Server[] = [];
  const io = (signal = new AbortController().signal) =>
    ({ fetch: globalThis.fetch, signal }) as unknown as Io; // the rest is not used

  /** A node on a port of its own; `answer` takes the place of what it would say. */
  async function node(
    { chainId = "0x5", final = "0x70", ...block }: Node = {},
    answer?: (method: string) => string,
  ) {
    const server = createServer((request, response) => {
      let body = "";
      request.on("data", (piece) => (body += piece));
      request.on("end", () => {
        const { method, params, id } = JSON.parse(body);
        const isFinal = params[0] === "finalized";
        const own = block.hash === undefined ? hash : block.hash;
        const result =
          method === "eth_chainId"
            ? chainId
            : isFinal
              ? final && { number: final, hash: otherHash }
              : own && { number: block.number ?? params[0], hash: own };
        response.end(answer?.(method) ?? JSON.stringify({ jsonrpc: "2.0", id, result }));
      });
    });
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }
  after(() => {
    for (const server of servers) server.close();
  });

  const problemOf = async (urls: string[], world = io()) => {
    const error = await askNodes(urls, at, world).catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(Problem);
    return error as Problem;
  };

  it("is one on which all agree, and names their hosts alone, since the rest of a URL may be a secret", async () => {
    const [one, two] = [await node(), await node({ hash: hash.toUpperCase().replace("0X", "0x") })];
    const block = await askNodes([`${one}/secret`, two], at, io());
    const hosts = [one, two].map((url) => url.slice("http://".length)).join(", ");
    expect(block).to.deep.equal({ hash, number: 100, source: `from 2 nodes that agree: ${hosts}` });
    expect((await askNodes([one], at, io())).source).to.match(/^from the node 127\.0\.0\.1:\d+$/);
  });

  it("is one on which several agree only where there are several", async () => {
    const url = await node();
    expect((await askNodes([url, url], at, io())).source).to.match(/^from the node 127\.0\.0\.1:\d+$/);
  });

  for (const [what, world, code, words] of [
    ["of another chain", { chainId: "0x1" }, "rpc-other-chain", "a node of chain 1"],
    ["to which the block is not final", { final: "0x63" }, "rpc-not-final", "it is at 99"],
    ["that does not say what is final", { final: null }, "rpc-no-final", "which block is final"],
    ["without the block", { hash: null }, "rpc-no-block", "does not have block 100"],
    ["that tells no hash", { hash: "0x12" }, "rpc-no-block", "does not have block 100"],
    ["that tells an older block", { number: "0x63" }, "rpc-no-block", "does not have block 100"],
    ["that tells no number", { number: "" }, "rpc-no-block", "does not have block 100"],
  ] as const) {
    it(`is none from a node ${what}, though another has it`, async () => {
      const problem = await problemOf([await node(), await node(world)]);
      expect(problem.code).to.equal(code);
      expect(problem.message).to.contain(words);
    });
  }

  it("is none where nodes disagree", async () => {
    const problem = await problemOf([await node(), await node({ hash: otherHash })]);
    expect(problem.code).to.equal("rpc-disagree");
    expect(problem.message).to.contain(hash).and.to.contain(otherHash);
  });

  for (const [what, answer, code, words] of [
    ["no JSON", "<html>\u001b[2J", "rpc-refused", "with no JSON-RPC"],
    ["an error", '{"error": {"message": "no \\u001b[2J"}}', "rpc-refused", "no \\u{1b}[2J"],
    ["more than any block", `"${" ".repeat(5_000_000)}"`, "rpc-unreachable", "larger than"],
  ] as const) {
    it(`is none from a node that answers ${what}`, async () => {
      const problem = await problemOf([await node({}, () => answer)]);
      expect(problem.code).to.equal(code);
      expect(problem.message).to.contain(words);
    });
  }

  it("is none from a node that is not there, or sends elsewhere", async () => {
    const problem = await problemOf(["http://user:secret@127.0.0.1:1/path"]);
    expect(problem.code).to.equal("rpc-unreachable");
    expect(problem.message).to.contain("127.0.0.1:1").and.to.not.contain("secret");
    const elsewhere = createServer((_request, response) =>
      response.writeHead(302, { location: "http://127.0.0.1:1" }).end(),
    );
    servers.push(elsewhere);
    await new Promise<void>((resolve) => elsewhere.listen(0, "127.0.0.1", resolve));
    const { port } = elsewhere.address() as AddressInfo;
    expect((await problemOf([`http://127.0.0.1:${port}`])).code).to.equal("rpc-unreachable");
  });

  it("is asked for with the user and password of the URL", async () => {
    const seen: (string | null)[] = [];
    const fetch = (async (url: URL, { headers }: { headers: Record<string, string> }) => {
      seen.push(url.href, headers["authorization"] ?? null);
      return new Response("{}");
    }) as never;
    await askNodes(["https://user:p%40ss@node.example/v1"], at, { ...io(), fetch }).catch(() => {});
    expect(seen.slice(0, 2)).to.deep.equal(["https://node.example/v1", `Basic ${btoa("user:p@ss")}`]);
  });

  it("ends when it is stopped", async () => {
    const error = await askNodes([await node()], at, io(AbortSignal.abort())).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).to.have.property("name", "AbortError");
  });
});
