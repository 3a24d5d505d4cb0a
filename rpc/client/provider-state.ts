import { backOff } from "../../domain/back-off.ts";
import { isExecutionFailure } from "../errors/execution-failure.ts";
import { NodeError } from "../errors/node-error.ts";
import type { Policy } from "./policy.ts";
import type { Rpc } from "./rpc.ts";

/** Health of a provider, for operators. */
export type ProviderHealth = {
  /** Host of its URL. */
  name: string;
  inUse: boolean;
  /** Whether its last call was answered; undefined before the first. */
  up: boolean | undefined;
  /** Since when it is up or down. */
  since: Date | undefined;
  /** Why it is down. */
  problem: string | undefined;
  head: number | undefined;
  /** Calls answered and failed since the start. */
  answered: number;
  failed: number;
};

export type ProviderState = ReturnType<typeof createProviderState>;

/** Most seconds for which a provider is left alone that keeps failing, or that limits the rate and names no pause. */
const [longestAfterFailures, longestAfterRateLimit] = [30, 8];

/** State of one provider: its chain, its health, and until when it is avoided. */
export function createProviderState(rpc: Rpc, name: string, policy: Policy) {
  /** Failed calls in a row. */
  let failures = 0;
  let restUntil = 0;
  const health: Omit<ProviderHealth, "name" | "inUse"> = {
    up: undefined,
    since: undefined,
    problem: undefined,
    head: undefined,
    answered: 0,
    failed: 0,
  };

  function noteUp(problem: NodeError | undefined): void {
    const up = problem === undefined;
    health.problem = problem?.message;
    if (health.up === up) return;
    health.up = up;
    health.since = new Date();
  }

  const isResting = () => restUntil > Date.now();

  /** Whether another provider may succeed; an error of the call itself would be the same there. */
  function isFault(error: unknown): boolean {
    if (!(error instanceof NodeError) || error.reason === "too_much" || isExecutionFailure(error))
      return false;
    return error.reason !== "rpc_error" || failures > policy.rejectionsAllowed;
  }

  const state = {
    rpc,
    /** Its host, numbered where several have the same. */
    name,
    /** Whether it serves the expected chain; checked again after a failure. */
    checked: false,
    /** Whether it rests because of its rate limit, which is respected even without another provider. */
    isRateLimited: false,
    isResting,
    restMs: () => restUntil - Date.now(),
    isFault,
    recordHead(number: number | undefined): void {
      health.head = number;
    },
    recordAnswer(): void {
      failures = 0;
      restUntil = 0;
      health.answered += 1;
      noteUp(undefined);
    },
    recordFailure(error: NodeError): void {
      error.provider ??= name;
      health.failed += 1;
      // Concurrent calls fail together, which counts as one failure.
      if (error.reason === "too_much" || isResting()) return;
      failures += 1;
      if (error.reason === "unreachable") state.checked = false;
      if (!isFault(error)) return;
      noteUp(error);
      state.isRateLimited = error.reason === "rate_limited";
      const longest = state.isRateLimited ? longestAfterRateLimit : longestAfterFailures;
      const restMs = error.retryAfterMs ?? backOff(failures + 1, longest) * 1000;
      restUntil = Date.now() + Math.min(policy.longestRestMs, restMs);
    },
    health: (inUse: boolean): ProviderHealth => ({ name, inUse, ...health }),
  };
  return state;
}
