import { backOff } from "../../domain/back-off.ts";
import { isExecutionFailure } from "../errors/execution-failure.ts";
import { NodeError } from "../errors/node-error.ts";
import type { Policy } from "./policy.ts";
import type { Rpc } from "./rpc.ts";

/** What operators want to know of a provider. */
export type ProviderHealth = {
  /** Host of its URL. */
  name: string;
  inUse: boolean;
  /** Whether it answered when it was asked last; undefined before. */
  up: boolean | undefined;
  /** Since when it is up, or is not. */
  since: Date | undefined;
  /** Why it is not up. */
  problem: string | undefined;
  head: number | undefined;
  /** Calls since the start that were answered, and that were not. */
  answered: number;
  failed: number;
};

export type ProviderState = ReturnType<typeof createProviderState>;

/** Seconds for which a provider that failed again and again, or refused for the pace, is left alone at most. */
const [longestRest, longestUnaskedRest] = [30, 8];

/** What is known of one provider: its chain, its health, and until when it is left alone. */
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

  /** Whether another provider may do better. What the node says about our own call, it would say, too. */
  function isFault(error: unknown): boolean {
    if (!(error instanceof NodeError) || error.reason === "too_much" || isExecutionFailure(error))
      return false;
    return error.reason !== "rpc_error" || failures > policy.refusalsAllowed;
  }

  const state = {
    rpc,
    /** Its host, and where several have the same one, which of them it is. */
    name,
    /** Whether it serves the expected chain; asked again after it was away. */
    checked: false,
    /** The node itself asked for the rest, so it is not disturbed even where there is no other. */
    askedToRest: false,
    isResting,
    restMs: () => restUntil - Date.now(),
    isFault,
    noteHead(number: number | undefined): void {
      health.head = number;
    },
    noteAnswer(): void {
      failures = 0;
      restUntil = 0;
      health.answered += 1;
      noteUp(undefined);
    },
    noteFailure(error: NodeError): void {
      error.provider ??= name;
      health.failed += 1;
      // Calls that were under way together fail together: that is one failure.
      if (error.reason === "too_much" || isResting()) return;
      failures += 1;
      if (error.reason === "unreachable") state.checked = false;
      if (!isFault(error)) return;
      noteUp(error);
      state.askedToRest = error.reason === "rate_limited";
      const longest = state.askedToRest ? longestUnaskedRest : longestRest;
      const restMs = error.retryAfterMs ?? backOff(failures + 1, longest) * 1000;
      restUntil = Date.now() + Math.min(policy.longestRestMs, restMs);
    },
    health: (inUse: boolean): ProviderHealth => ({ name, inUse, ...health }),
  };
  return state;
}
