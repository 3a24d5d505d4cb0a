import type { KeptAnswer } from "../../db/service/idempotency-keys.ts";
import type { Envelope } from "../../domain/envelope.ts";
import type { ApiError } from "../../domain/errors.ts";
import type { Answer } from "../operation/route.ts";
import type { Followed } from "./request-log.ts";
import { writeHead } from "./security-headers.ts";

/** Sends the one body shape of the API. To HEAD, Node sends the headers of it alone. */
export function send(response: Followed, status: number, envelope: Envelope): void {
  response.statusCode = status;
  sendText(response, "application/json; charset=utf-8", JSON.stringify(envelope));
}

/** The answer of an operation that succeeded. */
export function sendAnswer(response: Followed, status: number, answer: Answer<unknown>): void {
  response.statusCode = status;
  sendText(response, "application/json; charset=utf-8", bodyOf(answer));
}

/** Sends again what was answered before. */
export function sendReplay(response: Followed, { status, body }: KeptAnswer): void {
  response.statusCode = status;
  response.setHeader("Idempotency-Replayed", "true");
  sendText(response, "application/json; charset=utf-8", body);
}

export function bodyOf(answer: Answer<unknown>): string {
  const { meta } = answer;
  const value = "json" in answer ? answer.json : JSON.stringify(answer.value);
  return meta === undefined ? `{"value":${value}}` : `{"value":${value},"meta":${JSON.stringify(meta)}}`;
}

/** For what has a form of its own, such as figures for Prometheus. */
export function sendText(response: Followed, type: string, text: string): void {
  const length = Buffer.byteLength(text);
  writeHead(response, type, length);
  // A text goes out with the headers in one write, bytes in two. ASCII needs no look at each character.
  response.end(text, length === text.length ? "latin1" : "utf8");
}

/** The body of a failed call. */
export function failure({ code, message, details }: ApiError): Envelope {
  return { value: null, error: { code, message, ...(details.length > 0 ? { details } : {}) } };
}
