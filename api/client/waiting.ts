import type { AssetState } from "../../domain/request/state.ts";
import type { TransactionStatus } from "./client.ts";
import type { CallOptions } from "./connection.ts";
import { ArgumentError, ConnectionError, StateError } from "./errors.ts";
import type { Watcher } from "./sweep.ts";
import { isDuration, LONGEST_TIMER, throwIfAborted } from "./timing.ts";

export type WaitOptions = Pick<CallOptions, "signal"> & {
  /** Milliseconds until it is given up, trouble and pauses included; 300,000 unless given. */
  timeout?: number;
  /** Milliseconds between two looks; 1,000 unless given. */
  interval?: number;
};

/** The way of a transaction that comes to its end; every other state is an end of its own. */
const way: readonly string[] = [
  "Received",
  "TxSignatureSubmitted",
  "Submitted",
  "Committed",
  "Confirmed",
] satisfies AssetState[];
const otherEnds: readonly string[] = [
  "RevokedByUser",
  "RevokedByTxServer",
  "RevokedByBlockchain",
] satisfies AssetState[];

/** @param watch begins to look at a transaction, and answers what ends it */
export function createWaiting(watch: (id: string, watcher: Watcher) => () => void) {
  return async (id: string, goal: AssetState, options: WaitOptions = {}): Promise<TransactionStatus> => {
    const { timeout = 300_000, interval = 1_000, signal } = options;
    if (!isDuration(timeout) || !isDuration(interval)) {
      throw new ArgumentError("timeout and interval must be numbers of milliseconds.");
    }
    if (!way.includes(goal) && !otherEnds.includes(goal)) {
      throw new ArgumentError(`There is no state ${String(goal)}.`);
    }
    throwIfAborted(signal);
    return await new Promise((resolve, reject) => {
      let last: TransactionStatus | undefined;
      let trouble: Error | undefined;
      const end = (settle: () => void) => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", abort);
        unwatch();
        settle();
      };
      const abort = () => end(() => reject(signal?.reason));
      const timer = setTimeout(
        () => end(() => reject(tooLate(id, timeout, last, trouble))),
        Math.min(timeout, LONGEST_TIMER),
      );
      signal?.addEventListener("abort", abort, { once: true });
      const unwatch = watch(id, {
        interval,
        saw(found) {
          last = found;
          trouble = undefined;
          const verdict = judge(found, goal);
          if (verdict === "reached") end(() => resolve(found));
          else if (verdict !== "not yet") end(() => reject(verdict));
        },
        missed(error) {
          trouble = error;
        },
        failed: (error) => end(() => reject(error)),
      });
    });
  };
}

/** A state that lies behind counts as reached; one that can no longer come is an error. */
function judge({ state, reason }: TransactionStatus, goal: string): "reached" | "not yet" | StateError {
  if (state === goal) return "reached";
  if (otherEnds.includes(state)) return new StateError(`It ended as ${state}.`, state, reason);
  const [now, wanted] = [way.indexOf(state), way.indexOf(goal)];
  if (wanted >= 0) return now >= wanted ? "reached" : "not yet";
  if (state !== "Confirmed") return "not yet";
  return new StateError(`It is Confirmed, so ${goal} can no longer come.`, state, reason);
}

function tooLate(
  id: string,
  timeout: number,
  last: TransactionStatus | undefined,
  trouble: Error | undefined,
): Error {
  if (last !== undefined) {
    const { state, reason } = last;
    return new StateError(`It is still ${state} after ${timeout} ms.`, state, reason, { cause: trouble });
  }
  return trouble ?? new ConnectionError(`The state of ${id} was not answered within ${timeout} ms.`);
}
