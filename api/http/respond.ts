import type { ServerResponse } from "node:http";
import type { KeptAnswer } from "../../db/service/idempotency-keys.ts";
import type { Envelope } from "../../domain/envelope.ts";
import type { ApiError } from "../../domain/errors.ts";
import type { Answer } from "../operation/route.ts";

/** Sends an envelope. For HEAD, Node sends only its headers. */
export function send(response: ServerResponse, status: number, envelope: Envelope): void {
  response.statusCode = status;
  sendText(response, "application/json; charset=utf-8", JSON.stringify(envelope));
}

/** Sends the answer of a successful operation. */
export function sendAnswer(response: ServerResponse, status: number, answer: Answer<unknown>): void {
  response.statusCode = status;
  sendText(response, "application/json; charset=utf-8", bodyOf(answer));
}

/** Sends a stored answer. */
export function sendReplay(response: ServerResponse, { status, body }: KeptAnswer): void {
  response.statusCode = status;
  response.setHeader("Idempotency-Replayed", "true");
  sendText(response, "application/json; charset=utf-8", body);
}

export function bodyOf(answer: Answer<unknown>): string {
  const { value, meta } = answer;
  return JSON.stringify({ value, meta });
}

/** Sends a text of any media type, such as metrics for Prometheus. */
export function sendText(
  response: ServerResponse,
  type: string,
  text: string,
  cacheControl = "no-store",
): void {
  response.setHeader("Content-Type", type);
  response.setHeader("Content-Length", Buffer.byteLength(text));
  response.setHeader("Cache-Control", cacheControl);
  response.end(text);
}

/** The body of a failed call. */
export function failure({ code, message, details }: ApiError): Envelope {
  return { value: null, error: { code, message, ...(details.length > 0 ? { details } : {}) } };
}
