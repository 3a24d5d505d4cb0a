import { HttpRequestError, RpcRequestError, TimeoutError } from "viem";
import { gather } from "../../api/operation/gather.ts";
import { createPost, type HttpAnswer } from "./post.ts";

type Call = { method: string; params?: unknown };
type Outcome = { result: unknown } | { failure: Error };

const allFailed = (calls: readonly Call[], failure: Error): Outcome[] => calls.map(() => ({ failure }));

/** The connection came about and was ended. */
const isRefusal = (failure: unknown): boolean =>
  failure instanceof HttpRequestError && (failure.cause as NodeJS.ErrnoException).code === "ECONNRESET";
type Packed = Call & { jsonrpc: "2.0"; id: number };

/** So much of what a node says of an error is looked at, and goes into the log. */
const longestMessage = 500;

/** How long a node that refused a batch gets its calls one by one. */
const singlyMs = 600_000;

/**
 * One JSON-RPC URL, as viem takes it. Calls of one turn of the event loop travel together, because reading what
 * to sign takes seven. Rejects with viem's errors, so that viem goes on to say what they mean.
 */
export function connectRpc(url: string, timeout: number): (call: Call) => Promise<unknown> {
  const post = createPost(url, timeout);
  let id = 0;
  let singlyUntil = 0;

  const pack = ({ method, params }: Call): Packed => {
    id += 1;
    return { jsonrpc: "2.0", id, method, params };
  };

  /** @throws HttpRequestError, TimeoutError */
  async function exchange(body: Packed | Packed[]): Promise<{ answer: HttpAnswer; json: unknown }> {
    let answer: HttpAnswer;
    try {
      answer = await post(JSON.stringify(body));
    } catch (error) {
      if (error === "late") throw new TimeoutError({ body, url });
      throw new HttpRequestError({ body, url, cause: error as Error });
    }
    try {
      return { answer, json: JSON.parse(answer.text) as unknown };
    } catch {
      return { answer, json: undefined };
    }
  }

  async function alone(call: Call): Promise<Outcome> {
    const body = pack(call);
    try {
      const { answer, json } = await exchange(body);
      return outcomeOf(body, json) ?? { failure: statusError(body, answer) };
    } catch (failure) {
      return { failure: failure as Error };
    }
  }

  const singly = (calls: readonly Call[]) => Promise.all(calls.map(alone));

  async function together(calls: readonly Call[]): Promise<Outcome[]> {
    if (calls.length === 1 || Date.now() < singlyUntil) return singly(calls);
    const body = calls.map(pack);
    try {
      const { answer, json } = await exchange(body);
      // Too many calls: one by one would make it worse.
      if (answer.status === 429 || answer.status === 503) return allFailed(calls, statusError(body, answer));
      const outcomes = Array.isArray(json) ? inOrder(body, json) : undefined;
      return outcomes ?? (await apart(calls));
    } catch (failure) {
      // Some end the connection where others refuse.
      return isRefusal(failure) ? apart(calls) : allFailed(calls, failure as Error);
    }
  }

  /**
   * It takes no batches, or not this one; each of the calls may well be answered. One is asked first: a node that is
   * out of order is not asked for each of them.
   */
  async function apart(calls: readonly Call[]): Promise<Outcome[]> {
    const [first, ...others] = calls as readonly [Call, ...Call[]];
    const outcome = await alone(first);
    if ("failure" in outcome && !(outcome.failure instanceof RpcRequestError)) {
      return allFailed(calls, outcome.failure);
    }
    singlyUntil = Date.now() + singlyMs;
    return [outcome, ...(await singly(others))];
  }

  function inOrder(body: readonly Packed[], answers: readonly unknown[]): Outcome[] | undefined {
    const byId = new Map(answers.map((answer) => [(answer as { id?: unknown } | null)?.id, answer]));
    const outcomes = body.map((packed) => outcomeOf(packed, byId.get(packed.id)));
    return outcomes.every((outcome) => outcome !== undefined) ? outcomes : undefined;
  }

  /** @returns undefined where it is no answer to this call */
  function outcomeOf(body: Packed, json: unknown): Outcome | undefined {
    if (typeof json !== "object" || json === null) return undefined;
    const { error, result } = json as { error?: { code: number; message: string }; result?: unknown };
    if (error !== undefined && error !== null) {
      const message = String(error.message).slice(0, longestMessage);
      return { failure: new RpcRequestError({ body, error: { ...error, message }, url }) };
    }
    return result === undefined ? undefined : { result };
  }

  function statusError(body: Packed | Packed[], { status, headers, text }: HttpAnswer): Error {
    const details = text.slice(0, 200);
    return new HttpRequestError({ body, details, headers: new Headers(headers), status, url });
  }

  const ask = gather(together);
  return async (call) => {
    const outcome = await ask(call);
    if ("failure" in outcome) throw outcome.failure;
    return outcome.result;
  };
}
