import { randomUUID } from "node:crypto";
import type { NextFunction, Request, RequestHandler, Response } from "express";
import type { Logger } from "pino";

export type Log = Pick<Logger, "info" | "warn" | "error" | "debug">;

/** Visible ASCII without spaces: safe to return, to log and to search for. */
const sane = /^[\x21-\x7e]{1,128}$/;

/**
 * Gives each request an id and writes one line when it ends. The line names the route and not the path, for
 * the id of a transaction in it is a capability; headers and bodies are never written.
 */
export function logRequests(log: Log): RequestHandler {
  return (request: Request, response: Response, next: NextFunction) => {
    const started = performance.now();
    const sent = request.headers["x-request-id"];
    const id = typeof sent === "string" && sane.test(sent) ? sent : randomUUID();
    response.locals["requestId"] = id;
    response.on("close", () => {
      log.info({
        id,
        method: request.method,
        route: response.locals["route"],
        status: response.statusCode,
        ms: Math.round(performance.now() - started),
        ...(response.writableFinished ? {} : { aborted: true }),
      });
    });
    next();
  };
}
