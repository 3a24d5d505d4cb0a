import { isDatabaseUnavailable } from "../db/core/pool.ts";
import { ChainMovedError } from "../rpc/errors/chain-errors.ts";
import { NodeError } from "../rpc/errors/node-error.ts";
import { isFatal } from "./fatal-error.ts";

/** The kind of a failure in one word, the same for every occurrence: a label of logs and metrics. */
export function failureReason(error: unknown): string {
  if (error instanceof NodeError) return error.reason;
  if (error instanceof ChainMovedError) return "chain_moved";
  if (isFatal(error)) return "halted";
  if (isDatabaseUnavailable(error)) return "database_unavailable";
  if (!(error instanceof Error)) return "unknown";
  return "code" in error && /^[0-9A-Z]{5}$/.test(String(error.code)) ? `database_${error.code}` : error.name;
}
