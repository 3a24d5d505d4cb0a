import { setTimeout as sleep } from "node:timers/promises";
import { type FailureReason, NodeError, RpcError } from "../errors/node-error.ts";
import { isAboutTheCall } from "../errors/refusal.ts";
import type { Exchange } from "./exchange.ts";
import type { Pace } from "./pace.ts";
import type { Call, Outcome } from "./rpc.ts";

/** A rest that is asked for and is no longer than this is taken at once; a longer one is for others to plan with. */
const longestRestInPlaceMs = 3_000;
const mostRefusalsInPlace = 10;
/** A limit of calls has a window of one second, most often. */
const clearWindowMs = 1_050;
/** Calls in the last second below which a refusal cannot be about their number. */
const busyFrom = 2;
/** How long refusals of a method are not looked into again, after one was about the call and not the pace. */
const trustMs = 15_000;

type Options = {
  exchange: Exchange;
  pace: Pace;
  /** Whether a refusal for the pace is waited out here, and a doubtful one looked into. */
  waits: boolean;
  signal: AbortSignal | undefined;
  note: (reason: FailureReason) => void;
};

/** Asks one provider at the pace that it allows, and again after a short rest where that was too fast. */
export function createPacedExchange({ exchange, pace, waits, signal, note }: Options) {
  /** Whether calls are refused because they are too many, while that is being found out. */
  let inquiry: Promise<boolean> | undefined;
  const trustedUntil = new Map<string, number>();

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
        const answers = waits && pace.answeredSince(answeredAfter);
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

  const pacedOne = (call: Call) => paced(1, () => exchange.one(call));

  /**
   * One call. Nobody knows all words for "too many calls": a refusal that might mean it, while many were made, is
   * looked into. Nothing is asked for as long as such limits count, then the same again: an answer now says that
   * it was the pace.
   */
  async function one(call: Call): Promise<unknown> {
    try {
      return await pacedOne(call);
    } catch (error) {
      if (!waits || !mayBePace(error, call)) throw error;
      if (inquiry !== undefined) {
        if (!(await inquiry)) throw error;
        note(error.reason);
        return pacedOne(call);
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

/** Whether a refusal may be about how often was asked, in words or an HTTP status that are not known for it. */
export function mayBePace(error: unknown, call?: Call): error is NodeError {
  if (call?.method === "eth_sendRawTransaction") return false;
  if (error instanceof RpcError) {
    return error.reason === "rpc_error" && !isAboutTheCall(error.code, error.said);
  }
  return error instanceof NodeError && (error.reason === "http_status" || error.reason === "not_json");
}
