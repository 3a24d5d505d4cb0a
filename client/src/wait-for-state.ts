import { ArgumentError, ConnectionError, StateError } from "./errors.ts";
import type { WaitOptions } from "./options.ts";
import type { Watcher } from "./poll-queue.ts";
import { isDuration, LONGEST_TIMER, throwIfAborted } from "./timeout.ts";
import type { AssetState } from "./types/state.ts";
import type { TransactionStatus } from "./types/transaction.ts";

/** The states of a transaction that succeeds, in their order. */
const successes: readonly string[] = [
  "Received",
  "TxSignatureSubmitted",
  "Submitted",
  "Committed",
  "Confirmed",
] satisfies AssetState[];
const failures: readonly string[] = [
  "RevokedByUser",
  "RevokedByTxServer",
  "RevokedByBlockchain",
] satisfies AssetState[];

/** @param watch begins to poll a transaction, and returns a function that ends it */
export function createWaitForState(watch: (id: string, watcher: Watcher) => () => void) {
  return async (id: string, goal: AssetState, options: WaitOptions = {}): Promise<TransactionStatus> => {
    const { timeout = 300_000, interval = 1_000, signal } = options;
    if (!isDuration(timeout) || !isDuration(interval)) {
      throw new ArgumentError("timeout and interval must be numbers of milliseconds.");
    }
    if (!successes.includes(goal) && !failures.includes(goal)) {
      throw new ArgumentError(`There is no state ${String(goal)}.`);
    }
    throwIfAborted(signal);
    return await new Promise((resolve, reject) => {
      let last: TransactionStatus | undefined;
      let lastError: Error | undefined;
      const end = (settle: () => void) => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", abort);
        unwatch();
        settle();
      };
      const abort = () => end(() => reject(signal?.reason));
      const timer = setTimeout(
        () => end(() => reject(timeoutError(id, timeout, last, lastError))),
        Math.min(timeout, LONGEST_TIMER),
      );
      signal?.addEventListener("abort", abort, { once: true });
      const unwatch = watch(id, {
        interval,
        onStatus(status) {
          last = status;
          lastError = undefined;
          const verdict = judge(status, goal);
          if (verdict === "reached") end(() => resolve(status));
          else if (verdict !== "not yet") end(() => reject(verdict));
        },
        onRetry(error) {
          lastError = error;
        },
        onError: (error) => end(() => reject(error)),
      });
    });
  };
}

/** A success that lies behind counts as reached; a state that can no longer come is an error. */
function judge({ state, reason }: TransactionStatus, goal: string): "reached" | "not yet" | StateError {
  if (state === goal) return "reached";
  if (failures.includes(state)) return new StateError(`It ended as ${state}.`, state, reason);
  const [now, wanted] = [successes.indexOf(state), successes.indexOf(goal)];
  if (wanted >= 0) return now >= wanted ? "reached" : "not yet";
  if (state !== "Confirmed") return "not yet";
  return new StateError(`It is Confirmed, so ${goal} can no longer come.`, state, reason);
}

function timeoutError(
  id: string,
  timeout: number,
  last: TransactionStatus | undefined,
  lastError: Error | undefined,
): Error {
  if (last === undefined) {
    return lastError ?? new ConnectionError(`The state of ${id} was not answered within ${timeout} ms.`);
  }
  const { state, reason } = last;
  return new StateError(`It is still ${state} after ${timeout} ms.`, state, reason, { cause: lastError });
}
