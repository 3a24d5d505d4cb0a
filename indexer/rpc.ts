import { hideSecretsOf } from "../domain/url-secrets.ts";
import { type FailureReason, NodeError, RpcError } from "./errors.ts";
import { createHttpClient, type HttpOptions } from "./http.ts";
import { parseWithLogData, textOf } from "./log-data.ts";

export type Call = { method: string; params: readonly unknown[] };

/** One JSON-RPC URL. Calls reject with NodeError, and with RpcError where the node answered by an error. */
export type Rpc = {
  /** Host of the URL; the rest of it may hold a key and is never shown. */
  name: string;
  request(call: Call): Promise<unknown>;
  /** Calls that travel together, so that one node answers them all; their answers, in the order of the calls. */
  batch(calls: readonly Call[]): Promise<unknown[]>;
  /** The same of calls that have nothing to do with each other: the answer of each, or the node's error. */
  each(calls: readonly Call[]): Promise<(unknown | RpcError)[]>;
  close(): void;
};

/** How long a URL that refused a batch gets its calls one by one. */
const singlyMs = 600_000;

/** The node takes no batches, or not this one; each of its calls may well be answered. */
class BatchRefusedError extends NodeError {
  override readonly name = "BatchRefusedError";
}

export function connectRpc(url: string, options: HttpOptions): Rpc {
  const http = createHttpClient(url, options);
  const hide = hideSecretsOf(url);
  let id = 0;
  let singlyUntil = 0;

  const pack = ({ method, params }: Call) => {
    id += 1;
    return { jsonrpc: "2.0", id, method, params };
  };

  async function exchange(packed: Call | readonly Call[]): Promise<unknown> {
    const holdsLogs = [packed].flat().some(({ method }) => method === "eth_getLogs");
    return http
      .post(JSON.stringify(packed), (body) => parseAnswer(body, holdsLogs, hide))
      .catch((error: unknown) => {
        throw sayingWhich(error, packed);
      });
  }

  async function together(calls: readonly Call[]): Promise<(() => unknown)[]> {
    const packed = calls.map(pack);
    const answers = await exchange(packed);
    if (!Array.isArray(answers)) throw refusalOf(answers, hide);
    const byId = new Map((answers as unknown[]).map((answer) => [idOf(answer), answer]));
    if (byId.size !== calls.length || answers.length !== calls.length) {
      throw new NodeError("bad_envelope", `The node answered ${answers.length} of ${calls.length} calls`);
    }
    return calls.map(({ method }, index) => {
      const { id: asked } = packed[index] as { id: number };
      return () => unpack(method, asked, byId.get(asked), hide);
    });
  }

  const singly = (calls: readonly Call[]): Promise<(() => unknown)[]> =>
    Promise.all(
      calls.map(async (call) => {
        const packed = pack(call);
        const answer = await exchange(packed);
        return () => unpack(call.method, packed.id, answer, hide);
      }),
    );

  /** What reads the answer of each call. */
  async function ask(calls: readonly Call[]): Promise<(() => unknown)[]> {
    if (calls.length === 1 || Date.now() < singlyUntil) return singly(calls);
    try {
      return await together(calls);
    } catch (error) {
      if (!(error instanceof BatchRefusedError)) throw error;
      singlyUntil = Date.now() + singlyMs;
      return singly(calls);
    }
  }

  async function request(call: Call): Promise<unknown> {
    const packed = pack(call);
    return unpack(call.method, packed.id, await exchange(packed), hide);
  }

  return {
    name: new URL(url).host,
    close: http.close,
    request,
    batch: async (calls) => (await ask(calls)).map((read) => read()),
    each: async (calls) =>
      (await ask(calls)).map((read) => {
        try {
          return read();
        } catch (error) {
          if (error instanceof RpcError) return error;
          throw error;
        }
      }),
  };
}

type Hide = (text: string) => string;

function parseAnswer(body: Buffer, holdsLogs: boolean, hide: Hide): unknown {
  // Parsing logs uses up the answer.
  const start = body.toString("utf8", 0, 400);
  try {
    return holdsLogs ? parseWithLogData(body) : JSON.parse(textOf(body));
  } catch {
    const begin = hide(start).replaceAll(/\s+/g, " ").slice(0, 100);
    throw new NodeError("not_json", `The node answered by no JSON, but: ${begin}`);
  }
}

const idOf = (answer: unknown): unknown =>
  typeof answer === "object" && answer !== null && "id" in answer ? answer.id : undefined;

/** What an answer that is no list means for a batch: none of its calls has been answered. */
function refusalOf(answer: unknown, hide: Hide): NodeError {
  const error = typeof answer === "object" && answer !== null && "error" in answer ? answer.error : undefined;
  const problem = readError("a batch", error ?? "no list", hide);
  if (problem.reason === "rate_limited") return problem;
  return new BatchRefusedError("bad_envelope", problem.message);
}

/** The result inside of an answer. */
function unpack(method: string, asked: number, answer: unknown, hide: Hide): unknown {
  if (typeof answer !== "object" || answer === null) {
    throw new NodeError("bad_envelope", `The node answered ${method} by no JSON-RPC answer`);
  }
  const { id, error, result } = answer as { id?: unknown; error?: unknown; result?: unknown };
  // Beside an error a result counts for nothing: it is left over from another answer.
  if (error !== undefined && error !== null) throw readError(method, error, hide);
  if (id !== asked) {
    throw new NodeError("bad_envelope", `The node's answer to ${method} belongs to another call`);
  }
  if (result === undefined) {
    throw new NodeError("bad_envelope", `The node's answer to ${method} holds neither result nor error`);
  }
  return result;
}

function readError(method: string, error: unknown, hide: Hide): NodeError {
  const { code, message, data } = (typeof error === "object" ? error : {}) as Record<string, unknown>;
  const said = hide(typeof message === "string" ? message : JSON.stringify(error));
  const number = typeof code === "number" ? code : 0;
  const reason = meaningOf(method, number, said);
  return new RpcError(method, { code: number, message: said, data }, reason);
}

/** Providers share no codes for these, only words. Too many calls comes first: some of its words are in both. */
const rateLimited =
  /rate.?limit|too many requests|request count|requests? per|requests? limit|throughput|quota|compute units/i;
const tooMuch =
  /more than \d+ (results|logs)|too many (results|logs|blocks)|(block )?range.*(exceed|large|limit|wide|big|greater)|exceed.*range|limited? (the query )?to.*(range|blocks)|response (size|too large|is too big)|size exceeded|exceeds? limit|logs matched|query timeout|max.*block range/i;

function meaningOf(method: string, code: number, said: string): FailureReason {
  if (code === 429 || rateLimited.test(said)) return "rate_limited";
  if (method === "eth_getLogs" && tooMuch.test(said)) return "too_much";
  return "rpc_error";
}

function sayingWhich(error: unknown, packed: Call | readonly Call[]): unknown {
  if (!(error instanceof NodeError)) return error;
  const methods = [...new Set([packed].flat().map(({ method }) => method))];
  return new NodeError(
    error.reason,
    `${error.message} (asked for ${methods.join(", ")})`,
    error.retryAfterMs,
  );
}
