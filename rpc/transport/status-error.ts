import type { IncomingMessage } from "node:http";
import { NodeError } from "../errors/node-error.ts";

/** The failure that an HTTP status other than 200 means, with how the answer begins. */
export function statusError(response: IncomingMessage, text: string): NodeError {
  const { statusCode = 0, headers } = response;
  const retryAfter = parseRetryAfter(headers["retry-after"]);
  const said = text.replaceAll(/\s+/g, " ").slice(0, 200);
  const message = `The node answered by HTTP ${statusCode}: ${said}`;
  if (statusCode === 429 || (statusCode === 503 && retryAfter !== undefined)) {
    return new NodeError("rate_limited", message, retryAfter);
  }
  if (statusCode === 413) return new NodeError("too_much", message);
  return new NodeError("http_status", message);
}

/** A longer rest than this is not taken at the word of one answer. */
const longestRest = 300_000;

/** Reads `Retry-After`, which is seconds or a date. */
export function parseRetryAfter(given: string | undefined, now = Date.now()): number | undefined {
  const value = given?.trim().slice(0, 64);
  if (value === undefined) return undefined;
  const isDate = /[a-z]{3}/i.test(value);
  const ms = isDate ? Date.parse(value) - now : /^\d+(\.\d+)?$/.test(value) ? Number(value) * 1000 : NaN;
  return Number.isFinite(ms) ? Math.min(longestRest, Math.max(0, ms)) : undefined;
}
