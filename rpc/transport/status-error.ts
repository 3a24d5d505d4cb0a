import { NodeError } from "../errors/node-error.ts";
import type { HttpAnswer } from "./http-exchange.ts";

/**
 * The error of an HTTP status other than 200, with the beginning of the answer.
 * @param hide takes the secrets of the URL out of a text
 */
export function statusError(
  { status, headers, text }: HttpAnswer,
  hide: (text: string) => string,
): NodeError {
  const retryAfter = parseRetryAfter(headers["retry-after"]);
  const said = hide(text.slice(0, 4_096)).replaceAll(/\s+/g, " ").slice(0, 200);
  const message = `The node answered by HTTP ${status}: ${said}`;
  if (status === 429 || (status === 503 && retryAfter !== undefined)) {
    return new NodeError("rate_limited", message, retryAfter);
  }
  if (status === 413) return new NodeError("too_much", message);
  return new NodeError("http_status", message);
}

/** Longest pause that one answer can ask for. */
const longestRest = 300_000;

/** Reads `Retry-After`, which is seconds or a date. @returns milliseconds, `longest` at most */
export function parseRetryAfter(
  given: string | undefined,
  now = Date.now(),
  longest = longestRest,
): number | undefined {
  const value = given?.trim().slice(0, 64);
  if (value === undefined) return undefined;
  const isDate = /[a-z]{3}/i.test(value);
  const ms = isDate ? Date.parse(value) - now : /^\d+(\.\d+)?$/.test(value) ? Number(value) * 1000 : NaN;
  return Number.isFinite(ms) ? Math.min(longest, Math.max(0, ms)) : undefined;
}
