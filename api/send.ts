import type { ServerResponse } from "node:http";
import type { Envelope } from "../domain/envelope.ts";
import type { ApiError } from "../domain/errors.ts";

/** Sends the one body shape of the API. To HEAD, Node sends the headers of it alone. */
export function send(response: ServerResponse, status: number, envelope: Envelope): void {
  response.statusCode = status;
  sendText(response, "application/json; charset=utf-8", JSON.stringify(envelope));
}

/** For what has a form of its own, such as figures for Prometheus. */
export function sendText(response: ServerResponse, type: string, text: string): void {
  const body = Buffer.from(text);
  response.setHeader("Content-Type", type);
  response.setHeader("Content-Length", body.length);
  response.setHeader("Cache-Control", "no-store");
  response.end(body);
}

/** The body of a failed call. */
export function failure({ code, message, details }: ApiError): Envelope {
  return { value: null, error: { code, message, ...(details.length > 0 ? { details } : {}) } };
}
