import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

export type RpcAnswer = { result?: unknown; error?: { code: number; message: string; data?: unknown } };
/** Answers instead of the node, or with undefined leaves it to the node. */
export type Rewrite = (params: unknown[]) => RpcAnswer | undefined;

/** A node that passes everything on to another one, except what is answered here. */
export async function startNodeProxy(url: string, rewrites: Record<string, Rewrite>) {
  const asked: string[] = [];
  const server = createServer(async (request, response) => {
    const body = JSON.parse(await text(request)) as Question | Question[];
    const answers = await Promise.all([body].flat().map(answer));
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(Array.isArray(body) ? answers : answers[0]));
  });

  async function answer(question: Question): Promise<object> {
    asked.push(question.method);
    const rewritten = rewrites[question.method]?.(question.params ?? []);
    if (rewritten !== undefined) return { jsonrpc: "2.0", id: question.id, ...rewritten };
    const headers = { "content-type": "application/json" };
    const reply = await fetch(url, { method: "POST", headers, body: JSON.stringify(question) });
    return (await reply.json()) as object;
  }

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Methods in the order in which they were asked. */
    asked,
    stop: () => void server.close().closeAllConnections(),
  };
}

type Question = { id: number; method: string; params?: unknown[] };
