import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Logger } from "pino";
import type { Figures } from "../service/metrics.ts";

export type Log = Pick<Logger, "info" | "warn" | "error" | "debug">;

/** Context of a running request, kept in Express' `locals`. */
export type Followed = ServerResponse & {
  locals: {
    requestId?: string | undefined;
    route?: string | undefined;
    /** The authenticated caller. */
    caller?: { tenant: string | undefined; keyId: string | undefined } | undefined;
    /** When a stream of events began, by `performance.now()`. */
    streamedFrom?: number | undefined;
  };
};

/** Visible ASCII without spaces: safe to return, to log and to search for. */
const sane = /^[\x21-\x7e]{1,128}$/;

/**
 * Gives each request an id, logs one line at its end, and measures its latency. Both have the route instead of the path,
 * because the id of a transaction is a capability; the line also has tenant and key id. Headers and bodies are never
 * logged.
 */
export function followRequests(
  log: Log,
  figures: Pick<Figures, "observe">,
): (request: IncomingMessage, response: ServerResponse) => Followed {
  return (request, response) => {
    const started = performance.now();
    const sent = request.headers["x-request-id"];
    const id = typeof sent === "string" && sane.test(sent) ? sent : randomUUID();
    const followed = response as Followed;
    followed.locals = { requestId: id, route: undefined };
    response.setHeader("X-Request-Id", id);
    response.on("close", () => {
      const { method = "" } = request;
      const status = response.statusCode;
      const { route, streamedFrom } = followed.locals;
      const ms = performance.now() - started;
      // Of a stream the latency is the time to its beginning, and its usual end is that the reader leaves.
      const latency = streamedFrom === undefined ? ms : streamedFrom - started;
      figures.observe({ method, route: route ?? "none", status }, latency / 1000);
      const line = { id, method, route, status, ms: Math.round(ms), ...followed.locals.caller };
      log.info(response.writableFinished || streamedFrom !== undefined ? line : { ...line, aborted: true });
    });
    return followed;
  };
}
