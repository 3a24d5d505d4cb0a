import { IncomingMessage, type OutgoingHttpHeader, ServerResponse } from "node:http";
import { Socket } from "node:net";
import helmet, { type HelmetOptions } from "helmet";
import type { Followed } from "./request-log.ts";

/**
 * The headers by which helmet protects whoever reads an answer in a browser. They depend on no request, so
 * helmet is asked for them once, and not for every answer.
 */
function securedBy(options: HelmetOptions): string[] {
  const request = new IncomingMessage(new Socket());
  const response = new ServerResponse(request);
  helmet(options)(request, response, () => {});
  return response.getHeaderNames().flatMap((name) => [name, String(response.getHeader(name))]);
}

/** Of a page to read: helmet's own choice. */
const ofPages = securedBy({});

/**
 * Of everything else: shown by itself, it may load nothing and stand in no frame. What helmet sets beyond that
 * looks after pages and what they embed; each header costs its part of an answer.
 */
const ofData = securedBy({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
  },
  frameguard: { action: "deny" },
  crossOriginOpenerPolicy: false,
  dnsPrefetchControl: false,
  ieNoOpen: false,
  originAgentCluster: false,
  permittedCrossDomainPolicies: false,
  xssFilter: false,
});

/**
 * Adds to a header of an answer that most answers have. It waits for `writeHead`: a header that Node already
 * holds makes it look at all of them one by one.
 */
export function addToHeader({ locals }: Pick<Followed, "locals">, name: string, value: string): void {
  locals.headers ??= [];
  const at = locals.headers.indexOf(name);
  if (at < 0) locals.headers.push(name, value);
  else locals.headers[at + 1] += `, ${value}`;
}

/**
 * Begins an answer: its headers go to the socket together with the body, in one write. What was set on the
 * response before is sent beside them.
 */
export function writeHead(response: Followed, type: string, length: number): void {
  const headers: OutgoingHttpHeader[] = [
    ...(type.startsWith("text/html") ? ofPages : ofData),
    "Content-Type",
    type,
    "Content-Length",
    length,
    "Cache-Control",
    "no-store",
    "X-Request-Id",
    response.locals.requestId ?? "",
    ...(response.locals.headers ?? []),
  ];
  response.writeHead(response.statusCode, headers);
}
