import { setTimeout as sleep } from "node:timers/promises";
import { isAboutTheCall } from "../errors/error-message.ts";
import { type FailureReason, NodeError, RpcError } from "../errors/node-error.ts";
import type { Exchange } from "./exchange.ts";
import type { Pace } from "./pace.ts";
import type { Call, Outcome } from "./rpc.ts";

/** Longest pause in milliseconds that is waited for here; a longer one fails the call. */
const longestRestInPlaceMs = 3_000;
const mostRejectionsInPlace = 10;
/** Usual window of a provider's rate limit: one second. */
const clearWindowMs = 1_050;
/** Calls in the last second below which a rejection cannot be a rate limit. */
const busyFrom = 2;
/** Milliseconds for which rejections of a method are taken at face value, after one was not a rate limit. */
const trustMs = 15_000;

type Options = {
  exchange: Exchange;
  pace: Pace;
  /** Whether rate limits are waited out here, and doubtful rejections investigated. */
  waits: boolean;
  signal: AbortSignal | undefined;
  countFailure: (reason: FailureReason) => void;
};

/** Sends calls to one provider at the rate that it allows, and retries after a short pause. */
export function createPacedExchange({ exchange, pace, waits, signal, countFailure }: Options) {
  /** A running check whether rejections are a rate limit. */
  let inquiry: Promise<boolean> | undefined;
  const trustedUntil = new Map<string, number>();

  async function paced<Answer>(calls: number, ask: () => Promise<Answer>): Promise<Answer> {
    let answeredAfter = performance.now() - 2_000;
    for (let rejections = 0; ; rejections += 1) {
      const end = await pace.begin(calls);
      const begun = performance.now();
      try {
        const answer = await ask();
        pace.succeeded(calls);
        return answer;
      } catch (error) {
        if (!(error instanceof NodeError)) throw error;
        if (error.reason !== "rate_limited") {
          // An error is an answer too.
          if (error instanceof RpcError && isAboutTheCall(error.code, error.said)) pace.succeeded(calls);
          throw error;
        }
        const asked = error.retryAfterMs;
        // A provider that rejects everything is not rate limited, but left alone.
        const answers = waits && pace.answeredSince(answeredAfter);
        const long = asked !== undefined && asked > longestRestInPlaceMs;
        if (long || !answers || rejections === mostRejectionsInPlace || signal?.aborted) throw error;
        countFailure(error.reason);
        pace.tooFast(pace.answeredLately(), asked);
        answeredAfter = begun;
      } finally {
        end();
      }
    }
  }

  const pacedOne = (call: Call) => paced(1, () => exchange.one(call));

  /**
   * Sends one call. Providers word "too many calls" in many ways, so a doubtful rejection under load is investigated: after a
   * pause of a usual window the call is repeated, and if it succeeds, the rejection was a rate limit.
   */
  async function one(call: Call): Promise<unknown> {
    try {
      return await pacedOne(call);
    } catch (error) {
      if (!waits || !mayBePace(error, call)) throw error;
      if (inquiry !== undefined) {
        if (!(await inquiry)) throw error;
        countFailure(error.reason);
        return pacedOne(call);
      }
      if (Date.now() < (trustedUntil.get(call.method) ?? 0) || pace.lately() < busyFrom) throw error;
      countFailure(error.reason);
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
      const result = await exchange.one(call);
      pace.tooFast(allowed, 0);
      pace.succeeded(1);
      return { result };
    } catch {
      trustedUntil.set(call.method, Date.now() + trustMs);
      return undefined;
    }
  }

  return {
    one,
    batch: (calls: readonly Call[]): Promise<Outcome[]> => paced(calls.length, () => exchange.batch(calls)),
  };
}

/** Whether a rejection may be a rate limit, although neither its words nor its HTTP status are known for that. */
export function mayBePace(error: unknown, call?: Call): error is NodeError {
  if (call?.method === "eth_sendRawTransaction") return false;
  if (error instanceof RpcError) {
    return error.reason === "rpc_error" && !isAboutTheCall(error.code, error.said);
  }
  return error instanceof NodeError && (error.reason === "http_status" || error.reason === "not_json");
}
