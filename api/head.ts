import { IncomingMessage, type OutgoingHttpHeader, ServerResponse } from "node:http";
import { Socket } from "node:net";
import type { Response } from "express";
import helmet from "helmet";

/**
 * The headers by which helmet protects whoever reads an answer in a browser. They depend on no request, so
 * helmet is asked for them once, and not thirteen times for every answer.
 */
const secured = ((): string[] => {
  const request = new IncomingMessage(new Socket());
  const response = new ServerResponse(request);
  helmet()(request, response, () => {});
  return response.getHeaderNames().flatMap((name) => [name, String(response.getHeader(name))]);
})();

type Locals = { locals?: Record<string, unknown> };

/**
 * Sets a header of an answer that most answers have. It waits for `writeHead`: a header that Node already
 * holds makes it look at all of them one by one.
 */
export function addHeader({ locals }: Response, name: string, value: string | number): void {
  const added: unknown = locals["headers"];
  if (added instanceof Map) added.set(name, value);
  else locals["headers"] = new Map([[name, value]]);
}

/**
 * Begins an answer: its headers go to the socket together with the body, in one write. What was set on the
 * response before is sent beside them.
 */
export function writeHead(response: ServerResponse & Locals, type: string, length: number): void {
  const headers: OutgoingHttpHeader[] = [
    ...secured,
    "Content-Type",
    type,
    "Content-Length",
    length,
    "Cache-Control",
    "no-store",
  ];
  const { requestId, headers: added } = response.locals ?? {};
  if (requestId !== undefined) headers.push("X-Request-Id", String(requestId));
  if (added instanceof Map) for (const [name, value] of added) headers.push(name, value);
  response.writeHead(response.statusCode, headers);
}
