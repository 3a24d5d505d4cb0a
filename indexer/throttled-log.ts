import type { Logger } from "pino";
import { NodeError } from "../rpc/errors/node-error.ts";
import { failureReason } from "./failure-reason.ts";
import type { Metrics } from "./monitoring/metrics.ts";

const quietMs = 5_000;
/** After this time without an occurrence a reason counts as new again. */
const forgetMs = 60_000;

/**
 * Counts each failure and logs it throttled: a new reason at once, a repeated one at most every five seconds.
 */
export function createThrottledLog(log: Logger, metrics: Metrics, now: () => number = Date.now) {
  const loggedAt = new Map<string, number>();
  let suppressed = 0;

  return (what: string, error: unknown, retryInSeconds: number): void => {
    const reason = failureReason(error);
    metrics.count("trouble_total", reason);
    const newest = Math.max(0, ...loggedAt.values());
    const isNew = now() - (loggedAt.get(reason) ?? 0) > forgetMs;
    if (!isNew && now() - newest < quietMs) {
      suppressed += 1;
      return;
    }
    loggedAt.set(reason, now());
    const message = error instanceof Error ? error.message : String(error);
    // A known reason needs no stack; an unknown one may be a bug.
    const known = reason !== "unknown" && reason === reason.toLowerCase();
    const provider = error instanceof NodeError ? error.provider : undefined;
    log.warn(
      { reason, provider, retryInSeconds, suppressed, err: known ? { message } : error },
      `${what} failed`,
    );
    suppressed = 0;
  };
}
