import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { Random } from "./random.ts";

type Request = { id: unknown; method: string; params: unknown[] };
type Answer = { jsonrpc: "2.0"; id: unknown; result?: unknown; error?: unknown };

const transportFaults = ["500", "429", "reset", "html", "cut", "late"] as const;
const answerFaults = ["error", "nothing", "null", "empty", "half", "behind"] as const;

/** A way to a node that fails, or lies, in one of `share` calls; `share` may be changed. */
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
      if (faulty && random.chance(0.5))
        return await failToAnswer(random.pick(transportFaults), asked, response);
      const answers = await ask(asked);
      if (faulty) {
        // One answer of a batch lies; the others are true.
        const place = random.whole(0, answers.length - 1);
        const [question, answer] = [[asked].flat()[place], answers[place]];
        if (question && answer) answers[place] = lie(random.pick(answerFaults), question, answer);
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

  async function failToAnswer(
    kind: (typeof transportFaults)[number],
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
    }
  }

  function lie(kind: (typeof answerFaults)[number], { method, params }: Request, answer: Answer): Answer {
    const { jsonrpc, id, result } = answer;
    if (kind === "error") return { jsonrpc, id, error: { code: -32_000, message: "try again" } };
    if (kind === "nothing") return { jsonrpc, id };
    if (method === "eth_getLogs" && Array.isArray(result)) {
      if (kind === "half") return { ...answer, result: result.slice(0, Math.floor(result.length / 2)) };
      return { ...answer, result: [] };
    }
    if (method === "eth_getBlockByNumber" && kind === "behind" && params[0] === "latest") {
      const head = Number((result as { number: string } | null)?.number ?? 0);
      return {
        ...answer,
        result: { ...(result as object), number: `0x${Math.max(0, head - 3).toString(16)}` },
      };
    }
    return { ...answer, result: null };
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
