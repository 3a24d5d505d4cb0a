import { type FailureReason, NodeError, RpcError } from "../errors/node-error.ts";
import { createBatchSize } from "./batch-size.ts";
import type { Pace } from "./pace.ts";
import { type createPacedExchange, mayBePace } from "./paced.ts";
import { type Call, failed, type Outcome, settled } from "./rpc.ts";

type Options = {
  paced: ReturnType<typeof createPacedExchange>;
  pace: Pace;
  /** Whether a batch that timed out is retried in smaller ones. */
  waits: boolean;
  countFailure: (reason: FailureReason) => void;
};

/** Creates the function that sends calls to one provider in batches as large as it accepts. */
export function createBatches({ paced, pace, waits, countFailure }: Options) {
  const size = createBatchSize();

  const singly = (calls: readonly Call[]): Promise<Outcome[]> =>
    Promise.all(calls.map((call) => settled(paced.one(call))));

  /**
   * @param repeat whether a call that was rejected in a batch may be retried alone
   * @returns the outcome of each call
   */
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
      outcomes = await paced.batch(calls);
    } catch (error) {
      if (!(error instanceof NodeError) || error.away || error.reason === "rate_limited") throw error;
      if (!waits && error.reason === "timeout") throw error;
      return inSmaller(calls, error, repeat);
    }
    size.succeeded(calls.length);
    const rejected = repeat ? outcomes.findIndex((one) => "error" in one && mayBePace(one.error)) : -1;
    return rejected < 0 ? outcomes : askAgain(calls, outcomes, rejected);
  }

  /** Retries rejected calls of a batch alone, because the batch may have been the reason. */
  async function askAgain(calls: readonly Call[], outcomes: Outcome[], first: number): Promise<Outcome[]> {
    const again = await settled(paced.one(calls[first] as Call));
    outcomes[first] = again;
    if ("error" in again) return outcomes;
    size.failed(calls.length);
    const rest = calls.map((call, index) => {
      const before = outcomes[index] as Outcome;
      return "error" in before && mayBePace(before.error) ? settled(paced.one(call)) : before;
    });
    return Promise.all(rest);
  }

  /**
   * Retries a failed batch in smaller ones. The last call is sent alone first: if it fails too, the node is down and the
   * batch was not too large.
   */
  async function inSmaller(calls: readonly Call[], failure: NodeError, repeat: boolean): Promise<Outcome[]> {
    countFailure(failure.reason);
    const before = pace.timesTooFast();
    const last = await settled(paced.one(calls.at(-1) as Call));
    if ("error" in last && !(last.error instanceof RpcError)) throw last.error;
    // Not the size: that call too succeeded only after a pause.
    if (pace.timesTooFast() > before) return [...(await inBatches(calls.slice(0, -1), repeat)), last];
    const [first, ...others] = calls.slice(0, -1) as [Call, ...Call[]];
    // Alone it takes as long.
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
      // A call that fails alone too may have been the reason.
      if (!outcomes.some(failed)) size.failed(calls.length);
    }
    return [...outcomes, last];
  }

  return inBatches;
}
