import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";

export type LiarCall = {
  method: string;
  params: unknown[];
  /** Milliseconds by `performance.now`. */
  at: number;
  /** Counts the calls of this method, from 1. */
  nth: number;
  /** What the node itself answers. */
  forward(): Promise<unknown>;
};

/** What becomes of a call, or of the whole HTTP request that it came in. */
export type Lie =
  | { result: unknown }
  | { error: { code: number; message: string; data?: unknown } }
  /** The JSON-RPC answer, put together by hand from the true one. */
  | { envelope: (answer: Answer) => unknown }
  | { http: { status?: number; headers?: Record<string, string>; body: string } }
  /** Never answered, ended without an answer, cut in the middle, or a byte at a time. */
  | "hold"
  | "drop"
  | "truncate"
  | "drip";

type Answer = { jsonrpc: "2.0"; id: unknown; result?: unknown; error?: unknown };
/** @returns undefined for the truth */
export type Rule = (call: LiarCall) => Lie | undefined | Promise<Lie | undefined>;
type Packed = { id: unknown; method: string; params?: unknown[] };

export type Liar = Awaited<ReturnType<typeof startLiar>>;

/**
 * A JSON-RPC node that is between the indexer and the true one, and answers as it is told to. It records every
 * call. WebSockets pass through, and can be made to go quiet without an end.
 */
export async function startLiar(nodeUrl: string) {
  const calls: LiarCall[] = [];
  const rules = new Map<string, Rule>();
  const sockets = new Set<Duplex>();
  const tunnels = new Set<[Duplex, Duplex]>();
  const counts = new Map<string, number>();
  let upstream: (call: { method: string; params: unknown[] }) => string = () => nodeUrl;
  let batch: ((answers: unknown[]) => unknown) | undefined;
  let blackHole = false;

  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined).on("close", () => sockets.delete(socket));
  });
  server.on("upgrade", tunnel);
  const listen = (port: number) =>
    new Promise<void>((resolve, reject) => {
      server.once("error", reject).listen(port, "127.0.0.1", resolve);
    });
  await listen(0);
  const { port } = server.address() as AddressInfo;

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = JSON.parse(await textOf(request)) as Packed | Packed[];
    const list = Array.isArray(body) ? body : [body];
    const said = await Promise.all(list.map(answer));
    const whole = said.find((one) => typeof one === "string" || "http" in one);
    if (whole === "hold") return;
    if (whole === "drop") return void request.socket.destroy();
    if (whole !== undefined && typeof whole !== "string" && "http" in whole) {
      const { status = 200, headers, body: text } = whole.http;
      response.writeHead(status, { "content-type": "application/json", ...headers }).end(text);
      return;
    }
    const answers = said.map((one) => (typeof one === "object" && "answer" in one ? one.answer : one));
    const text = JSON.stringify(Array.isArray(body) ? (batch?.(answers) ?? answers) : answers[0]);
    if (whole === undefined) response.setHeader("content-type", "application/json").end(text);
    else await trickle(response, text, whole);
  }

  /** The answer to one call, or what is to become of the whole request. */
  async function answer({
    id,
    method,
    params = [],
  }: Packed): Promise<
    | { answer: unknown }
    | { http: { status?: number; headers?: Record<string, string>; body: string } }
    | string
  > {
    const nth = (counts.get(method) ?? 0) + 1;
    counts.set(method, nth);
    const url = upstream({ method, params });
    let sent: Promise<Answer> | undefined;
    const ask = () => {
      sent ??= post(url, { jsonrpc: "2.0", id, method, params });
      return sent;
    };
    const forward = async () => (await ask()).result;
    const call: LiarCall = { method, params, at: performance.now(), nth, forward };
    calls.push(call);
    const lie = await (rules.get(method) ?? rules.get("*"))?.(call);
    if (lie === undefined) return { answer: await ask() };
    if (typeof lie === "string" || "http" in lie) return lie;
    if ("envelope" in lie) return { answer: lie.envelope(await ask()) };
    return { answer: { jsonrpc: "2.0", id, ...lie } };
  }

  async function trickle(response: ServerResponse, text: string, how: string): Promise<void> {
    response.writeHead(200, { "content-type": "application/json", "content-length": text.length });
    if (how === "truncate") {
      response.write(text.slice(0, text.length / 2));
      await sleep(20);
      response.destroy();
      return;
    }
    for (const byte of text) {
      if (response.destroyed) return;
      response.write(byte);
      await sleep(10_000, undefined, { ref: false });
    }
  }

  function tunnel(request: IncomingMessage, client: Duplex, head: Buffer): void {
    const { hostname, port: nodePort } = new URL(nodeUrl);
    const node: Socket = connect(Number(nodePort), hostname);
    const pair: [Duplex, Duplex] = [client, node];
    tunnels.add(pair);
    sockets.add(node);
    const end = () => {
      tunnels.delete(pair);
      for (const socket of pair) socket.destroy();
    };
    for (const socket of pair) socket.on("error", end).on("close", end);
    const lines = [`GET / HTTP/1.1`];
    for (let index = 0; index < request.rawHeaders.length; index += 2) {
      lines.push(`${request.rawHeaders[index]}: ${request.rawHeaders[index + 1]}`);
    }
    node.write(`${lines.join("\r\n")}\r\n\r\n`);
    node.write(head);
    node.on("data", (data) => blackHole || client.write(data));
    client.on("data", (data) => blackHole || node.write(data));
  }

  const hangUp = () => {
    for (const socket of sockets) socket.destroy();
  };

  return {
    url: `http://127.0.0.1:${port}`,
    socketUrl: `ws://127.0.0.1:${port}`,
    calls,
    /** The rule for a method, or for all others by "*"; the newest counts. */
    on: (method: string, rule: Rule) => void rules.set(method, rule),
    /** From now on the truth, and nothing but the truth. */
    honest(): void {
      rules.clear();
      batch = undefined;
      blackHole = false;
      upstream = () => nodeUrl;
    },
    /** Which node answers a call. */
    route(to: typeof upstream): void {
      upstream = to;
    },
    /** Changes the answers to a batch. */
    onBatch(change: typeof batch): void {
      batch = change;
    },
    /** Open WebSockets stay open, and nothing passes any more in either direction. */
    swallowSockets(): void {
      blackHole = true;
    },
    get tunnels(): number {
      return tunnels.size;
    },
    callsOf: (method: string) => calls.filter((call) => call.method === method),
    /** Refuses connections, on the same port until `open`. */
    async shut(): Promise<void> {
      const closed = new Promise((resolve) => server.close(resolve));
      hangUp();
      await closed;
    },
    open: () => listen(port),
    async stop(): Promise<void> {
      const closed = new Promise((resolve) => server.close(resolve));
      hangUp();
      await closed;
    },
  };
}

async function textOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request as AsyncIterable<Buffer>) parts.push(part);
  return Buffer.concat(parts).toString();
}

async function post(url: string, body: unknown): Promise<Answer> {
  const headers = { "content-type": "application/json" };
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
  return (await response.json()) as Answer;
}
