import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { Random } from "./random.ts";

type Request = { id: unknown; method: string; params: unknown[] };
type Answer = { jsonrpc: "2.0"; id: unknown; result?: unknown; error?: unknown };

const faultsOfACall = ["500", "429", "reset", "html", "cut", "late", "behind"] as const;
const faultsOfAnAnswer = ["error", "nothing", "null", "empty"] as const;

/**
 * A way to a node that fails, or lies, in one of `share` calls; `share` may be changed. Its lies are those that
 * were seen of real nodes and that an index can notice: an old state of the chain, and a block without its
 * logs. One that leaves out some logs of an old range and has the blocks would go unnoticed.
 */
export async function unreliableNode(url: string, random: Random, share: number) {
  const state = { share, faults: 0, calls: 0 };
  const server = createServer(async (request, response) => {
    try {
      let body = "";
      for await (const chunk of request) body += chunk;
      const asked = JSON.parse(body) as Request | Request[];
      state.calls += 1;
      const faulty = random.chance(state.share);
      if (faulty) state.faults += 1;
      if (faulty && random.chance(0.6)) return await failCall(random.pick(faultsOfACall), asked, response);
      const answers = await ask(asked);
      if (faulty) {
        // One answer of a batch lies; the others are true.
        const place = random.whole(0, answers.length - 1);
        const [question, answer] = [[asked].flat()[place], answers[place]];
        if (question && answer) answers[place] = lie(random.pick(faultsOfAnAnswer), question, answer);
      }
      send(response, Array.isArray(asked) ? answers : answers[0]);
    } catch {
      response.destroy();
    }
  });

  async function ask(asked: Request | Request[]): Promise<Answer[]> {
    const answer = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(asked),
    });
    return [(await answer.json()) as Answer | Answer[]].flat();
  }

  async function failCall(
    kind: (typeof faultsOfACall)[number],
    asked: Request | Request[],
    response: ServerResponse,
  ) {
    switch (kind) {
      case "500":
        return response.writeHead(500).end("no");
      case "429":
        return response.writeHead(429, { "retry-after": "1" }).end();
      case "reset":
        return response.destroy();
      case "html":
        return response.writeHead(200, { "content-type": "text/html" }).end("<html>sorry</html>");
      case "cut": {
        const text = JSON.stringify(await ask(asked));
        return response
          .writeHead(200, { "content-type": "application/json" })
          .end(text.slice(0, text.length / 2));
      }
      case "late":
        await sleep(200);
        return send(response, Array.isArray(asked) ? await ask(asked) : (await ask(asked))[0]);
      case "behind": {
        const answers = await askBehind([asked].flat(), random.whole(1, 6));
        return send(response, Array.isArray(asked) ? answers : answers[0]);
      }
    }
  }

  /** Answers as a node does that has not seen the newest blocks. */
  async function askBehind(asked: Request[], blocks: number): Promise<Answer[]> {
    const [newest] = await ask({ id: 0, method: "eth_blockNumber", params: [] });
    const head = Math.max(0, Number(newest?.result) - blocks);
    const seen = (block: unknown) => Number((block as { blockNumber?: string }).blockNumber) <= head;
    const questions = asked.map((question) =>
      question.params[0] === "latest" && question.method === "eth_getBlockByNumber"
        ? { ...question, params: [`0x${head.toString(16)}`, false] }
        : question,
    );
    return (await ask(questions)).map((answer) => {
      const { result } = answer;
      if (Array.isArray(result)) return { ...answer, result: result.filter(seen) };
      if (typeof result !== "object" || result === null) return answer;
      const { number, blockNumber } = result as { number?: string; blockNumber?: string };
      return Number(number ?? blockNumber ?? 0) > head ? { ...answer, result: null } : answer;
    });
  }

  function lie(
    kind: (typeof faultsOfAnAnswer)[number],
    { method, params }: Request,
    { jsonrpc, id, result }: Answer,
  ): Answer {
    if (kind === "nothing") return { jsonrpc, id };
    const ofOneBlock = method === "eth_getLogs" && Object.hasOwn(params[0] as object, "blockHash");
    if (kind === "empty" && ofOneBlock) return { jsonrpc, id, result: [] };
    const nullable = /ByNumber|ByHash|Receipt$/.test(method) && result !== undefined;
    if (kind === "null" && nullable) return { jsonrpc, id, result: null };
    return { jsonrpc, id, error: { code: -32_000, message: "try again" } };
  }

  const send = (response: ServerResponse, body: unknown) =>
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    state,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
