import { isAscii } from "node:buffer";
import { setTimeout as sleep } from "node:timers/promises";
import { hideSecretsOf, hostOf } from "../domain/url/secrets.ts";
import { createAbilities } from "./abilities.ts";
import { largestAnswer } from "./answer-bytes.ts";
import { createBatchSize } from "./batch-size.ts";
import { NodeError, RpcError } from "./errors.ts";
import { createHttpClient, type HttpOptions } from "./http.ts";
import { createPace } from "./pace.ts";
import { isAboutTheCall, longestSaid, meaningOf, mostWords, wordsOf } from "./refusal.ts";

export type Call = { method: string; params: readonly unknown[] };
/** What became of one call of several. */
export type Outcome = { result: unknown } | { error: NodeError };

/** One JSON-RPC URL. Calls reject with NodeError, and with RpcError where the node answered by an error. */
export type Rpc = {
  /** Host of the URL; the rest of it may hold a key and is never shown. */
  name: string;
  request(call: Call): Promise<unknown>;
  /** Calls that travel together, so that one node answers them all; their answers, in the order of the calls. */
  batch(calls: readonly Call[]): Promise<unknown[]>;
  /** The same, with what became of each. Rejects where the node answers none of them. */
  outcomes(calls: readonly Call[]): Promise<Outcome[]>;
  /** As `outcomes`, of calls that change something: none is repeated because of its answer. */
  each(calls: readonly Call[]): Promise<Outcome[]>;
  /** What this provider has been seen not to have. */
  abilities: ReturnType<typeof createAbilities>;
  close(): void;
};

/** A rest that is asked for and is no longer than this is taken at once; a longer one is for others to plan with. */
const longestRestInPlaceMs = 3_000;
const mostRefusalsInPlace = 10;
/** A limit of calls has a window of one second, most often. */
const clearWindowMs = 1_050;
/** Calls in the last second below which a refusal cannot be about their number. */
const busyFrom = 2;
/** How long refusals of a method are not looked into again, after one was about the call and not the pace. */
const trustMs = 15_000;

export function connectRpc(url: string, options: HttpOptions): Rpc {
  const { signal, note = () => undefined } = options;
  const http = createHttpClient(url, options);
  const hide = hideSecretsOf(url);
  const size = createBatchSize();
  const pace = createPace(signal);
  let id = 0;
  /** Whether calls are refused because they are too many, while that is being found out. */
  let inquiry: Promise<boolean> | undefined;
  const trustedUntil = new Map<string, number>();

  const pack = ({ method, params }: Call) => {
    id += 1;
    return { jsonrpc: "2.0", id, method, params };
  };

  async function exchange(packed: Call | readonly Call[]): Promise<unknown> {
    const calls = [packed].flat();
    const read = (body: Buffer, status: number) =>
      status === 200 ? parseAnswer(body, hide) : parseRefusal(body);
    return http.post(JSON.stringify(packed), read, largestAnswer(calls)).catch((error: unknown) => {
      throw sayingWhich(error, packed);
    });
  }

  /** One call by itself, at once. */
  async function askOne(call: Call): Promise<unknown> {
    const packed = pack(call);
    return unpack(call.method, packed.id, await exchange(packed), hide);
  }

  /** A batch, at once. @throws where not each call has an answer of its own, or one is refused for its pace */
  async function askBatch(calls: readonly Call[]): Promise<Outcome[]> {
    const packed = calls.map(pack);
    const answers = await exchange(packed);
    if (!Array.isArray(answers)) throw refusalOf(answers, hide);
    const byId = new Map((answers as unknown[]).map((answer) => [idOf(answer), answer]));
    if (answers.length !== calls.length || packed.some((one) => !byId.has(one.id))) {
      const [only] = answers as unknown[];
      // An error of the whole batch, in a list.
      if (answers.length === 1 && calls.length > 1 && errorOf(only) !== undefined)
        throw refusalOf(only, hide);
      throw new NodeError("bad_envelope", `The node answered ${answers.length} of ${calls.length} calls`);
    }
    const outcomes = packed.map((one) => outcomeOf(() => unpack(one.method, one.id, byId.get(one.id), hide)));
    const limited = outcomes.find((one) => "error" in one && one.error.reason === "rate_limited");
    if (limited !== undefined && "error" in limited) throw limited.error;
    return outcomes;
  }

  /** Asks at the pace that the node allows, and again after a short rest where that was too fast. */
  async function paced<Answer>(calls: number, ask: () => Promise<Answer>): Promise<Answer> {
    let answeredAfter = performance.now() - 2_000;
    for (let refusals = 0; ; refusals += 1) {
      const end = await pace.begin(calls);
      const begun = performance.now();
      try {
        const answer = await ask();
        pace.succeeded(calls);
        return answer;
      } catch (error) {
        if (!(error instanceof NodeError)) throw error;
        if (error.reason !== "rate_limited") {
          // An answer by an error is an answer, too.
          if (error instanceof RpcError && isAboutTheCall(error.code, error.said)) pace.succeeded(calls);
          throw error;
        }
        const asked = error.retryAfterMs;
        // One that refuses everything is not asked slower, but left alone.
        const answers = pace.answeredSince(answeredAfter);
        const long = asked !== undefined && asked > longestRestInPlaceMs;
        if (long || !answers || refusals === mostRefusalsInPlace || signal?.aborted) throw error;
        note(error.reason);
        pace.tooFast(pace.answeredLately(), asked);
        answeredAfter = begun;
      } finally {
        end();
      }
    }
  }

  /**
   * One call. Nobody knows all words for "too many calls": a refusal that might mean it, while many were made, is
   * looked into. Nothing is asked for as long as such limits count, then the same again: an answer now says that
   * it was the pace.
   */
  async function one(call: Call): Promise<unknown> {
    try {
      return await paced(1, () => askOne(call));
    } catch (error) {
      if (!mayBePace(error, call)) throw error;
      if (inquiry !== undefined) {
        if (!(await inquiry)) throw error;
        note(error.reason);
        return paced(1, () => askOne(call));
      }
      if (Date.now() < (trustedUntil.get(call.method) ?? 0) || pace.lately() < busyFrom) throw error;
      note(error.reason);
      const looked = lookInto(call);
      inquiry = looked.then((answer) => answer !== undefined).finally(() => (inquiry = undefined));
      const answer = await looked;
      if (answer === undefined) throw error;
      return answer.result;
    }
  }

  async function lookInto(call: Call): Promise<{ result: unknown } | undefined> {
    const allowed = pace.answeredLately();
    pace.rest(clearWindowMs);
    await sleep(clearWindowMs, undefined, signal && { signal }).catch(() => undefined);
    try {
      const result = await askOne(call);
      pace.tooFast(allowed, 0);
      pace.succeeded(1);
      return { result };
    } catch {
      trustedUntil.set(call.method, Date.now() + trustMs);
      return undefined;
    }
  }

  const singly = (calls: readonly Call[]): Promise<Outcome[]> =>
    Promise.all(calls.map((call) => settled(one(call))));

  /** Calls in batches as large as the node takes. */
  async function inBatches(calls: readonly Call[], repeat: boolean): Promise<Outcome[]> {
    const most = mostTogether();
    if (calls.length === 1 || most === 1) {
      const outcomes = await singly(calls);
      if (calls.length > 1 && !outcomes.some(failed)) size.succeeded(1);
      return outcomes;
    }
    if (calls.length <= most) return together(calls, repeat);
    const parts: Promise<Outcome[]>[] = [];
    for (let start = 0; start < calls.length; start += most) {
      parts.push(inBatches(calls.slice(start, start + most), repeat));
    }
    return (await Promise.all(parts)).flat();
  }

  const mostTogether = () =>
    Math.max(1, Math.min(size.now(), Math.floor(pace.rate() ?? Number.POSITIVE_INFINITY)));

  async function together(calls: readonly Call[], repeat: boolean): Promise<Outcome[]> {
    let outcomes: Outcome[];
    try {
      outcomes = await paced(calls.length, () => askBatch(calls));
    } catch (error) {
      if (!(error instanceof NodeError) || error.away || error.reason === "rate_limited") throw error;
      return inSmaller(calls, error, repeat);
    }
    size.succeeded(calls.length);
    const refused = repeat ? outcomes.findIndex((one) => "error" in one && mayBePace(one.error)) : -1;
    return refused < 0 ? outcomes : askAgain(calls, outcomes, refused);
  }

  /** Calls that were refused in a batch, each by itself: the batch may have been the reason. */
  async function askAgain(calls: readonly Call[], outcomes: Outcome[], first: number): Promise<Outcome[]> {
    const again = await settled(one(calls[first] as Call));
    outcomes[first] = again;
    if ("error" in again) return outcomes;
    size.failed(calls.length);
    const rest = calls.map((call, index) => {
      const before = outcomes[index] as Outcome;
      return "error" in before && mayBePace(before.error) ? settled(one(call)) : before;
    });
    return Promise.all(rest);
  }

  /**
   * The calls of a batch that was not answered, in smaller ones. The last call is asked alone first: a node that
   * answers not even that is ill, and its batches are not too large.
   */
  async function inSmaller(calls: readonly Call[], failure: NodeError, repeat: boolean): Promise<Outcome[]> {
    note(failure.reason);
    const before = pace.timesTooFast();
    const last = await settled(one(calls.at(-1) as Call));
    if ("error" in last && !(last.error instanceof RpcError)) throw last.error;
    // It was not the size: that call, too, was answered only after a rest.
    if (pace.timesTooFast() > before) return [...(await inBatches(calls.slice(0, -1), repeat)), last];
    const [first, ...others] = calls.slice(0, -1) as [Call, ...Call[]];
    // It takes as long by itself.
    if (failure.reason === "timeout" && first.method === "eth_getLogs") {
      return [{ error: failure }, ...(await singly(others)), last];
    }
    const rest = [first, ...others];
    const half = Math.max(1, Math.floor(calls.length / 2));
    const outcomes: Outcome[] = [];
    while (outcomes.length < rest.length) {
      const most = Math.min(half, mostTogether());
      const part = await inBatches(rest.slice(outcomes.length, outcomes.length + most), repeat);
      outcomes.push(...part);
      // Where a call fails by itself, too, it may be why the batch was not answered.
      if (!outcomes.some(failed)) size.failed(calls.length);
    }
    return [...outcomes, last];
  }

  return {
    name: hostOf(url),
    abilities: createAbilities(),
    close: http.close,
    request: one,
    batch: async (calls) =>
      (await inBatches(calls, true)).map((outcome) => {
        if ("error" in outcome) throw outcome.error;
        return outcome.result;
      }),
    outcomes: (calls) => inBatches(calls, true),
    each: (calls) => inBatches(calls, false),
  };
}

type Hide = (text: string) => string;

const failed = (outcome: Outcome) => "error" in outcome;

function outcomeOf(read: () => unknown): Outcome {
  try {
    return { result: read() };
  } catch (error) {
    if (error instanceof NodeError) return { error };
    throw error;
  }
}

async function settled(answer: Promise<unknown>): Promise<Outcome> {
  try {
    return { result: await answer };
  } catch (error) {
    if (error instanceof NodeError) return { error };
    throw error;
  }
}

/** Whether a refusal may be about how often was asked, in words or an HTTP status that are not known for it. */
function mayBePace(error: unknown, call?: Call): error is NodeError {
  if (call?.method === "eth_sendRawTransaction") return false;
  if (error instanceof RpcError) {
    return error.reason === "rpc_error" && !isAboutTheCall(error.code, error.said);
  }
  return error instanceof NodeError && (error.reason === "http_status" || error.reason === "not_json");
}

function parseAnswer(body: Buffer, hide: Hide): unknown {
  try {
    return JSON.parse(textOf(body));
  } catch {
    const begin = hide(body.toString("utf8", 0, 400))
      .replaceAll(/\s+/g, " ")
      .slice(0, 100);
    throw new NodeError("not_json", `The node answered by no JSON, but: ${begin}`);
  }
}

const largestRefusal = 64 * 1024;

/** Many nodes say by an HTTP status, too, that a call failed; the answer says why. @returns undefined where it does not */
function parseRefusal(body: Buffer): unknown {
  if (body.length > largestRefusal) return undefined;
  try {
    const parsed: unknown = JSON.parse(textOf(body));
    return Array.isArray(parsed) || typeof errorOf(parsed) === "object" ? parsed : undefined;
  } catch {
    return undefined;
  }
}

/** Most answers are ASCII, which is read in a third of the time. */
const textOf = (body: Buffer): string => body.toString(isAscii(body) ? "latin1" : "utf8");

const memberOf = (answer: unknown, name: "id" | "error"): unknown =>
  typeof answer === "object" && answer !== null && name in answer
    ? (answer as { id?: unknown; error?: unknown })[name]
    : undefined;
const idOf = (answer: unknown): unknown => memberOf(answer, "id");
const errorOf = (answer: unknown): unknown => memberOf(answer, "error") ?? undefined;

/** What an answer that is no list means for a batch: none of its calls has been answered. */
function refusalOf(answer: unknown, hide: Hide): NodeError {
  const problem = readError("a batch", errorOf(answer) ?? "no list", hide);
  return problem.reason === "rate_limited" ? problem : new NodeError("bad_envelope", problem.message);
}

/** The result inside of an answer. */
function unpack(method: string, asked: number, answer: unknown, hide: Hide): unknown {
  if (typeof answer !== "object" || answer === null) {
    throw new NodeError("bad_envelope", `The node answered ${method} by no JSON-RPC answer`);
  }
  // Some put the answer to a single call into a list.
  const { id, error, result } = (Array.isArray(answer) && answer.length === 1 ? answer[0] : answer) as {
    id?: unknown;
    error?: unknown;
    result?: unknown;
  };
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
  const whole = (typeof error === "object" ? error : {}) as {
    code?: unknown;
    message?: unknown;
    data?: unknown;
  };
  // A key is taken out before anything is cut, which could cut the key.
  const said = hide(wordsOf(whole, error).slice(0, mostWords)).slice(0, longestSaid);
  const code = Number.isSafeInteger(whole.code) ? (whole.code as number) : 0;
  return new RpcError(method, { code, message: said, data: whole.data }, meaningOf(method, code, said));
}

function sayingWhich(error: unknown, packed: Call | readonly Call[]): unknown {
  if (!(error instanceof NodeError)) return error;
  const methods = [...new Set([packed].flat().map(({ method }) => method))];
  const said = new NodeError(
    error.reason,
    `${error.message} (asked for ${methods.join(", ")})`,
    error.retryAfterMs,
  );
  said.away = error.away;
  return said;
}
