import type { ServerResponse } from "node:http";
import type { KeptAnswer } from "../db/idempotency-keys.ts";
import type { Envelope } from "../domain/envelope.ts";
import type { ApiError } from "../domain/errors.ts";
import { writeHead } from "./head.ts";
import type { Answer } from "./route.ts";

/** Sends the one body shape of the API. To HEAD, Node sends the headers of it alone. */
export function send(response: ServerResponse, status: number, envelope: Envelope): void {
  response.statusCode = status;
  sendText(response, "application/json; charset=utf-8", JSON.stringify(envelope));
}

/** The answer of an operation that succeeded. */
export function sendAnswer(response: ServerResponse, status: number, answer: Answer<unknown>): void {
  response.statusCode = status;
  sendText(response, "application/json; charset=utf-8", bodyOf(answer));
}

/** Sends again what was answered before. */
export function sendReplay(response: ServerResponse, { status, body }: KeptAnswer): void {
  response.statusCode = status;
  response.setHeader("Idempotency-Replayed", "true");
  sendText(response, "application/json; charset=utf-8", body);
}

export function bodyOf(answer: Answer<unknown>): string {
  if ("json" in answer) return `{"value":${answer.json}}`;
  const { value, meta } = answer;
  return JSON.stringify(meta === undefined ? { value } : { value, meta });
}

/** For what has a form of its own, such as figures for Prometheus. */
export function sendText(response: ServerResponse, type: string, text: string): void {
  writeHead(response, type, Buffer.byteLength(text));
  // A text goes out with the headers in one write, bytes in two.
  response.end(text);
}

/** The body of a failed call. */
export function failure({ code, message, details }: ApiError): Envelope {
  return { value: null, error: { code, message, ...(details.length > 0 ? { details } : {}) } };
}
