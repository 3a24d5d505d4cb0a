import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { bearsMetricsToken } from "../../config/metrics-token.ts";
import type { Envelope } from "../../domain/envelope.ts";
import { FatalError } from "../fatal-error.ts";

/** Another program has the port, perhaps the one that this program follows and that is about to end. */
export class PortTakenError extends Error {
  override readonly name = "PortTakenError";
}

export type Readiness = { ready: true; role: "leading" | "standing by" } | { ready: false; problem: string };

type Answers = {
  ready: () => Promise<Readiness>;
  metrics: () => Promise<{ type: string; text: string }>;
};

type Settings = { host: string; port: number; tokenDigest: Buffer | undefined };

/** Milliseconds for a request: a probe is fast. */
const PATIENCE_MS = 5_000;
const MOST_CONNECTIONS = 32;

/**
 * Serves `/health`, `/ready` and `/metrics` of this process, leading or standing by, on a port of its own.
 * @throws PortTakenError where another program has the port, FatalError where it cannot listen for another reason
 */
export async function openMonitorPort(
  { host, port, tokenDigest }: Settings,
  answers: Answers,
): Promise<{ close: () => Promise<void> }> {
  const server = createServer(
    {
      maxHeaderSize: 8_192,
      headersTimeout: PATIENCE_MS,
      requestTimeout: PATIENCE_MS,
      connectionsCheckingInterval: 1_000,
    },
    (request, response) => {
      answer(request, response, tokenDigest, answers).catch(() => {
        if (!response.headersSent) sendError(response, 503, "NOT_READY", "The indexer cannot say how it is.");
        else response.destroy();
      });
    },
  );
  server.maxConnections = MOST_CONNECTIONS;
  server.setTimeout(PATIENCE_MS, (socket) => socket.destroy());
  await listen(server, host, port);
  return {
    async close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function listen(server: Server, host: string, port: number): Promise<void> {
  server.listen(port, host);
  await once(server, "listening").catch((error: NodeJS.ErrnoException) => {
    const place = `Port ${port} of ${host}`;
    const advice = "set INDEXER_PORT or INDEXER_HOST to another.";
    if (error.code === "EADDRINUSE") {
      throw new PortTakenError(`${place} is taken by another program: ${advice}`);
    }
    throw new FatalError(`${place} cannot be had (${error.code}): ${advice}`);
  });
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  tokenDigest: Buffer | undefined,
  { ready, metrics }: Answers,
): Promise<void> {
  // The body is not read.
  response.setHeader("Connection", "close");
  const path = (request.url ?? "").replace(/\?.*/s, "").replace(/(.)\/$/, "$1");
  if (!["/health", "/ready", "/metrics"].includes(path)) {
    return sendError(response, 404, "ROUTE_NOT_FOUND", "There is nothing at this path.");
  }
  if (request.method !== "GET" && request.method !== "HEAD") {
    response.setHeader("Allow", "GET, HEAD");
    return sendError(response, 405, "METHOD_NOT_ALLOWED", "This path takes GET, HEAD.");
  }
  if (path === "/health") return send(response, 200, { value: { alive: true } });
  if (path === "/ready") {
    const state = await ready();
    if (state.ready) return send(response, 200, { value: state });
    response.setHeader("Retry-After", "5");
    return sendError(response, 503, "NOT_READY", state.problem);
  }
  if (tokenDigest !== undefined && !bearsMetricsToken(request, tokenDigest)) {
    response.setHeader("WWW-Authenticate", 'Bearer realm="Asset Registry"');
    const message = "The metrics need the operator's token in the header Authorization, as Bearer <token>.";
    return sendError(response, 401, "METRICS_TOKEN_INVALID", message);
  }
  const { type, text } = await metrics();
  response.writeHead(200, { "Content-Type": type }).end(text);
}

type ErrorCode = NonNullable<Envelope["error"]>["code"];

function sendError(response: ServerResponse, status: number, code: ErrorCode, message: string): void {
  send(response, status, { value: null, error: { code, message } });
}

function send(response: ServerResponse, status: number, envelope: Envelope): void {
  response
    .writeHead(status, { "Content-Type": "application/json; charset=utf-8", "Cache-Control": "no-store" })
    .end(JSON.stringify(envelope));
}
