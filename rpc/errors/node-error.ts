/** Why a call failed, in one word for logs and counters. */
export type FailureReason =
  | "unreachable"
  | "timeout"
  | "http_status"
  | "not_json"
  | "bad_envelope"
  | "rate_limited"
  | "too_much"
  | "rpc_error"
  | "bad_answer"
  | "missing_logs"
  | "conflicting_logs"
  | "incapable"
  | "missing_receipt"
  | "missing_block"
  | "wrong_chain";

/** Longest stored error message. */
const longestMessage = 4_000;

/** Sanitises an error message for database, log and pages: PostgreSQL refuses a text with a NUL. */
export const storable = (words: string): string =>
  words
    .slice(0, longestMessage)
    .replaceAll(/\p{Cc}/gu, " ")
    .toWellFormed();

/** A failed call to a node; names the call, so that an operator can repeat it. */
export class NodeError extends Error {
  override readonly name: string = "NodeError";
  readonly reason: FailureReason;
  /** The pause that the node asked for. */
  readonly retryAfterMs: number | undefined;
  /** Whether the failure has nothing to do with the call: no connection, or the process ends. */
  away = false;
  /** Host of the provider at fault. */
  provider: string | undefined;

  constructor(reason: FailureReason, message: string, retryAfterMs?: number) {
    super(storable(message));
    this.reason = reason;
    this.retryAfterMs = retryAfterMs;
  }
}

/** A JSON-RPC error of the node, with its own message. */
export class RpcError extends NodeError {
  override readonly name = "RpcError";
  readonly code: number;
  readonly said: string;
  readonly data: unknown;

  constructor(
    method: string,
    error: { code: number; message: string; data?: unknown },
    reason: FailureReason = "rpc_error",
    retryAfterMs?: number,
  ) {
    super(reason, `The node answered ${method} by error ${error.code}: ${error.message}`, retryAfterMs);
    this.code = error.code;
    this.said = storable(error.message);
    this.data = error.data;
  }
}

/** Longest part of the parameters in an error message. */
const longestAsked = 300;

/** An unusable answer of the node. */
export class NodeAnswerError extends NodeError {
  override readonly name: string = "NodeAnswerError";

  constructor(method: string, params: unknown, problem: string, reason: FailureReason = "bad_answer") {
    // Truncated: a transaction may have a hundred thousand digits.
    const asked = (JSON.stringify(params) ?? "").slice(0, longestAsked);
    super(reason, `The node's answer to ${method} ${asked} cannot be used: ${problem}`);
  }
}

/**
 * Whether a call failed for the time being, whatever it was: the node was not reached, did not answer in time, or limits
 * the rate. The same call may succeed later, and any other would fail now.
 */
export function isTransient(error: unknown): boolean {
  return error instanceof NodeError && ["unreachable", "timeout", "rate_limited"].includes(error.reason);
}

/**
 * Whether a smaller call, or another method, may succeed where this one failed. Independent of the message, because
 * providers word rejections in many ways.
 */
export function mayDependOnCall(error: unknown): error is NodeError {
  if (!(error instanceof NodeError) || error.away) return false;
  return !["rate_limited", "conflicting_logs", "incapable", "wrong_chain"].includes(error.reason);
}

/** Whether the node answered, and a smaller call or another method may succeed. */
export function isRejectedCall(error: unknown): error is NodeError {
  return mayDependOnCall(error) && !isTransient(error);
}
