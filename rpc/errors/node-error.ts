/** Why a call came to nothing, in one word for logs and counters. */
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

/** So much of what a node says is kept; its own words are cut much shorter before. */
const longestMessage = 4_000;

/** Words of a node as every database, log and page takes them: PostgreSQL refuses a text with a NUL. */
export const storable = (words: string): string =>
  words
    .slice(0, longestMessage)
    .replaceAll(/\p{Cc}/gu, " ")
    .toWellFormed();

/** A call to a node that came to nothing; names the call, so that an operator can repeat it. */
export class NodeError extends Error {
  override readonly name: string = "NodeError";
  readonly reason: FailureReason;
  /** How long the node asked to be left alone. */
  readonly retryAfterMs: number | undefined;
  /** No connection came about, or the process ends: nothing about the question is why. */
  away = false;
  /** Host of the provider, where one is to blame. */
  provider: string | undefined;

  constructor(reason: FailureReason, message: string, retryAfterMs?: number) {
    super(storable(message));
    this.reason = reason;
    this.retryAfterMs = retryAfterMs;
  }
}

/** The node answered by a JSON-RPC error, in its own words. */
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

/** So much of what was asked is named in an error. */
const longestAsked = 300;

/** The node gave an answer that cannot be used. */
export class NodeAnswerError extends NodeError {
  override readonly name: string = "NodeAnswerError";

  constructor(method: string, params: unknown, problem: string, reason: FailureReason = "bad_answer") {
    // A call of a transaction may have a hundred thousand digits.
    const asked = (JSON.stringify(params) ?? "").slice(0, longestAsked);
    super(reason, `The node's answer to ${method} ${asked} cannot be used: ${problem}`);
  }
}

/** The node says nothing at all, so that the next question would come to nothing, too. */
export function isSilence(error: unknown): boolean {
  return error instanceof NodeError && ["unreachable", "timeout", "rate_limited"].includes(error.reason);
}

/**
 * Whether a smaller question, or one asked in another way, may be answered where this one was not. That does not
 * depend on the words of a refusal: there are more of them than anybody knows.
 */
export function mayBeTheQuestion(error: unknown): error is NodeError {
  if (!(error instanceof NodeError) || error.away) return false;
  return !["rate_limited", "conflicting_logs", "incapable", "wrong_chain"].includes(error.reason);
}
