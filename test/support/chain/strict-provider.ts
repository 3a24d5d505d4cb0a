import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { text } from "node:stream/consumers";

type Packed = { id: unknown; method: string; params?: unknown[] };
type RpcFailure = { code: number; message: string; data?: unknown };

/** How a call, or a whole batch, is rejected. */
export type Rejection =
  | { error: RpcFailure }
  | { http: { status: number; body: string; headers?: Record<string, string> } }
  | "close"
  /** Of a batch: the answers of the first calls only. */
  | "fewer";

export type Limits = {
  /** Most calls in a batch; 1: none is taken. */
  batch?: number;
  /** Most blocks in a range of `eth_getLogs`. */
  range?: number;
  /** Most logs in an answer of `eth_getLogs`. */
  results?: number;
  /** Most calls in any second. */
  callsPerSecond?: number;
  /** Methods that it does not have. */
  without?: readonly string[];
  /** Whether it takes `eth_getLogs` by the hash of a block; by default it does. */
  logsByHash?: boolean;
  /** Whether it takes a block as an object (EIP-1898); by default it does. */
  blockObjects?: boolean;
};

export type Rejections = {
  batch?: () => Rejection;
  range?: () => Rejection;
  rate?: () => Rejection;
  other?: () => Rejection;
};

const say = (code: number, message: string): Rejection => ({ error: { code, message } });

/** Letters in a row that mean nothing, other ones each time, always the same from one seed. */
export function createNoise(seed: number): () => string {
  let state = seed;
  const next = (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((state / 2 ** 31) * below);
  };
  return () => Array.from({ length: 12 }, () => String.fromCharCode(97 + next(26))).join("");
}

/** A provider in front of a node, with the limits of real ones, which rejects in whatever way it is told to. */
export async function startStrictProvider(nodeUrl: string, limits: Limits = {}, rejections: Rejections = {}) {
  const allowed = { ...limits };
  const reject = { ...rejections };
  const counts = { calls: 0, batches: 0, rejectedForPace: 0, rejectedBatches: 0, rejectedRanges: 0 };
  const asked = new Map<string, number>();
  /** The biggest that was answered. */
  const largest = { batch: 0, range: 0 };
  const sockets = new Set<Socket>();
  /** Changes the true answer to a call. */
  const changes = new Map<string, (result: unknown, params: unknown[]) => unknown>();
  let times: number[] = [];

  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket)).on("error", () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));

  function hangUp(): void {
    for (const socket of sockets) socket.destroy();
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = JSON.parse(await text(request)) as Packed | Packed[];
    const calls = [body].flat();
    counts.calls += calls.length;
    for (const { method } of calls) asked.set(method, (asked.get(method) ?? 0) + 1);
    if (!inPace(calls.length)) {
      counts.rejectedForPace += 1;
      return answerWhole(request, response, reject.rate?.() ?? say(429, "too many requests"), body);
    }
    if (Array.isArray(body) && body.length > (allowed.batch ?? Number.POSITIVE_INFINITY)) {
      counts.rejectedBatches += 1;
      const rejection = reject.batch?.() ?? say(-32600, "batch too large");
      if (rejection !== "fewer") return answerWhole(request, response, rejection, body);
      const some = await Promise.all(body.slice(0, allowed.batch).map(answer));
      response.setHeader("content-type", "application/json").end(JSON.stringify(some));
      return;
    }
    if (Array.isArray(body)) {
      counts.batches += 1;
      largest.batch = Math.max(largest.batch, body.length);
    }
    const answers = await Promise.all(calls.map(answer));
    const whole = answers.find((one): one is Whole => "whole" in one);
    if (whole !== undefined) return answerWhole(request, response, whole.whole, body);
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(Array.isArray(body) ? answers : answers[0]));
  }

  function inPace(calls: number): boolean {
    const { callsPerSecond } = allowed;
    if (callsPerSecond === undefined) return true;
    const now = performance.now();
    times = times.filter((at) => at > now - 1_000);
    if (times.length + calls > callsPerSecond) return false;
    for (let call = 0; call < calls; call += 1) times.push(now);
    return true;
  }

  function answerWhole(
    request: IncomingMessage,
    response: ServerResponse,
    rejection: Rejection,
    body: Packed | Packed[],
  ): void {
    if (rejection === "close" || rejection === "fewer") return void request.socket.destroy();
    if ("http" in rejection) {
      const { status, headers, body: said } = rejection.http;
      response.writeHead(status, { "content-type": "text/html", ...headers }).end(said);
      return;
    }
    const id = Array.isArray(body) ? null : body.id;
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ jsonrpc: "2.0", id, error: rejection.error }));
  }

  type Whole = { whole: Rejection };

  async function answer({ id, method, params = [] }: Packed): Promise<object | Whole> {
    const rejection = rejectionOf(method, params);
    const rejected = (how: Rejection) =>
      typeof how === "object" && "error" in how ? { jsonrpc: "2.0", id, ...how } : { whole: how };
    if (rejection !== undefined) return rejected(rejection);
    const headers = { "content-type": "application/json" };
    const asked = JSON.stringify({ jsonrpc: "2.0", id, method, params });
    const reply = await fetch(nodeUrl, { method: "POST", headers, body: asked });
    const answered = (await reply.json()) as { result?: unknown };
    if (method === "eth_getLogs" && Array.isArray(answered.result)) {
      if (answered.result.length > (allowed.results ?? Number.POSITIVE_INFINITY)) {
        return rejected(reject.range?.() ?? say(-32005, "too many results"));
      }
    }
    const change = changes.get(method);
    if (change === undefined || !("result" in answered)) return answered;
    const changed = change(answered.result, params);
    return isRejection(changed) ? rejected(changed) : { ...answered, result: changed };
  }

  function rejectionOf(method: string, params: unknown[]): Rejection | undefined {
    const other = () => reject.other?.() ?? say(-32601, "method not found");
    if (allowed.without?.includes(method)) return other();
    const block = params[1];
    if (allowed.blockObjects === false && method === "eth_getTransactionCount" && typeof block === "object") {
      return other();
    }
    if (method !== "eth_getLogs") return undefined;
    const { fromBlock, toBlock, blockHash } = params[0] as Record<string, string | undefined>;
    if (blockHash !== undefined) return allowed.logsByHash === false ? other() : undefined;
    const blocks = Number(toBlock) - Number(fromBlock) + 1;
    if (blocks > (allowed.range ?? Number.POSITIVE_INFINITY)) {
      counts.rejectedRanges += 1;
      return reject.range?.() ?? say(-32000, "block range too large");
    }
    largest.range = Math.max(largest.range, blocks);
    return undefined;
  }

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    counts,
    largest,
    /** May be changed while it runs. */
    limits: allowed,
    rejections: reject,
    asked: (method: string) => asked.get(method) ?? 0,
    /** Changes what the node answers to a method, into another result or a rejection. */
    change: (method: string, how: (result: unknown, params: unknown[]) => unknown) =>
      void changes.set(method, how),
    /** Ends all connections. */
    hangUp,
    stop(): void {
      server.close();
      hangUp();
    },
  };
}

export type StrictProvider = Awaited<ReturnType<typeof startStrictProvider>>;

const isRejection = (value: unknown): value is Rejection =>
  typeof value === "object" && value !== null && ("error" in value || "http" in value);
