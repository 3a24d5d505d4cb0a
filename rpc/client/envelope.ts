import { longestSaid, meaningOf, mostWords, wordsOf } from "../errors/error-message.ts";
import { NodeError, RpcError } from "../errors/node-error.ts";

/** Redacts the secrets of a provider's URL. */
export type Hide = (text: string) => string;

/** @throws NodeError `not_json` with how the answer begins */
export function parseAnswer(text: string, hide: Hide): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const begin = hide(text.slice(0, 400)).replaceAll(/\s+/g, " ").slice(0, 100);
    throw new NodeError("not_json", `The node answered by no JSON, but: ${begin}`);
  }
}

const largestRejection = 64 * 1024;

/** Many nodes answer a failed call by an HTTP status with a JSON-RPC error in the body. @returns undefined without one */
export function parseRejection(text: string): unknown {
  if (text.length > largestRejection) return undefined;
  try {
    const parsed: unknown = JSON.parse(text);
    return Array.isArray(parsed) || typeof errorOf(parsed) === "object" ? parsed : undefined;
  } catch {
    return undefined;
  }
}

const memberOf = (answer: unknown, name: "id" | "error"): unknown =>
  typeof answer === "object" && answer !== null && name in answer
    ? (answer as { id?: unknown; error?: unknown })[name]
    : undefined;
export const idOf = (answer: unknown): unknown => memberOf(answer, "id");
export const errorOf = (answer: unknown): unknown => memberOf(answer, "error") ?? undefined;

/** The error of a whole batch, answered without a list. */
export function rejectionOf(answer: unknown, hide: Hide): NodeError {
  const problem = readError("a batch", errorOf(answer) ?? "no list", hide);
  return problem.reason === "rate_limited" ? problem : new NodeError("bad_envelope", problem.message);
}

/** The result in an answer. */
export function unpack(method: string, asked: number, answer: unknown, hide: Hide): unknown {
  if (typeof answer !== "object" || answer === null) {
    throw new NodeError("bad_envelope", `The node answered ${method} by no JSON-RPC answer`);
  }
  // Some nodes answer a single call with a list.
  const { id, error, result } = (Array.isArray(answer) && answer.length === 1 ? answer[0] : answer) as {
    id?: unknown;
    error?: unknown;
    result?: unknown;
  };
  // A result beside an error is ignored.
  if (error !== undefined && error !== null) throw readError(method, error, hide);
  if (id !== asked) {
    throw new NodeError("bad_envelope", `The node's answer to ${method} belongs to another call`);
  }
  if (result === undefined) {
    throw new NodeError("bad_envelope", `The node's answer to ${method} holds neither result nor error`);
  }
  return result;
}

function readError(method: string, error: unknown, hide: Hide): NodeError {
  const whole = (typeof error === "object" ? error : {}) as {
    code?: unknown;
    message?: unknown;
    data?: unknown;
  };
  // Redacted before truncating, which could split the key.
  const said = hide(wordsOf(whole, error).slice(0, mostWords)).slice(0, longestSaid);
  const code = Number.isSafeInteger(whole.code) ? (whole.code as number) : 0;
  return new RpcError(method, { code, message: said, data: whole.data }, meaningOf(method, code, said));
}
