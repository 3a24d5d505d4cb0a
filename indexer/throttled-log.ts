import type { Logger } from "pino";
import { NodeError, reasonOf } from "../rpc/errors.ts";
import type { Metrics } from "./monitoring/metrics.ts";

const quietMs = 5_000;
/** A reason that has not been heard for so long is news again. */
const forgetMs = 60_000;

/**
 * Counts each trouble, and logs it without flooding: a reason that is new is said at once, one that goes on at
 * most every five seconds, whoever meets it.
 */
export function createTroubleLog(log: Logger, metrics: Metrics, now: () => number = Date.now) {
  const saidAt = new Map<string, number>();
  let unsaid = 0;

  return (what: string, error: unknown, retryInSeconds: number): void => {
    const reason = reasonOf(error);
    metrics.count("trouble_total", reason);
    const newest = Math.max(0, ...saidAt.values());
    const fresh = now() - (saidAt.get(reason) ?? 0) > forgetMs;
    if (!fresh && now() - newest < quietMs) {
      unsaid += 1;
      return;
    }
    saidAt.set(reason, now());
    const problem = error instanceof Error ? error.message : String(error);
    // Trouble with a name needs no stack; what has none may be a fault of ours.
    const known = reason !== "unknown" && reason === reason.toLowerCase();
    const provider = error instanceof NodeError ? error.provider : undefined;
    log.warn(
      { reason, problem, provider, retryInSeconds, unsaid, ...(known ? {} : { err: error }) },
      `${what} failed`,
    );
    unsaid = 0;
  };
}
