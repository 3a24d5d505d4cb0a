import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

type Block = { number?: unknown; hash?: unknown };
/** How a node's results differ from the chain's own. */
type Changes = { chainId?: unknown; finalized?: unknown; block?: (block: Block) => unknown };

/**
 * Declares a hook that ends the nodes which the suite starts: each passes the questions of pages on to a chain, says that
 * its newest block is final, and changes what it is told to.
 */
export function useNodes() {
  const servers: Server[] = [];
  after(() => {
    for (const server of servers) server.close().closeAllConnections();
  });

  return {
    /** @returns the URL of a node */
    async start(chainUrl: string, changes: Changes = {}): Promise<string> {
      const server = createServer(async (request, response) => {
        response.setHeader("access-control-allow-origin", "*");
        response.setHeader("access-control-allow-headers", "content-type");
        if (request.method === "OPTIONS") return void response.writeHead(204).end();
        let body = "";
        for await (const piece of request) body += piece;
        const { method, params } = JSON.parse(body) as { method: string; params: unknown[] };
        const result = await resultOf(chainUrl, method, params, changes);
        response.setHeader("content-type", "application/json").end(JSON.stringify({ id: 1, result }));
      });
      servers.push(server);
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}/key`;
    },
  };
}

async function resultOf(url: string, method: string, params: unknown[], changes: Changes): Promise<unknown> {
  if (method === "eth_chainId" && changes.chainId !== undefined) return changes.chainId;
  const isFinal = params[0] === "finalized";
  if (isFinal && changes.finalized !== undefined) return changes.finalized;
  const result = await ask(url, method, isFinal ? ["latest", false] : params);
  const isBlock = method === "eth_getBlockByNumber" && !isFinal;
  return isBlock && changes.block ? changes.block(result as Block) : result;
}

async function ask(url: string, method: string, params: unknown[]): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body,
  });
  return ((await response.json()) as { result: unknown }).result;
}
