import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from "node:http";
import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { ApiError } from "../../domain/errors.ts";
import { limits } from "../../domain/limits.ts";
import { failure } from "./respond.ts";

/** Milliseconds for running requests to finish when the server stops. */
const DRAIN = 10_000;

/** Limits for clients; timeouts are in milliseconds. */
export type ClientLimits = {
  /** Until the next request on a kept connection. */
  keepAlive: number;
  /** For the headers, from their first byte on. */
  headers: number;
  /** For the whole request. */
  request: number;
  /** For sending or reading the next byte. */
  idle: number;
  /** For the rest of a request that was answered early, and the bytes that are read of it. */
  rest: number;
  restBytes: number;
  /** Between two checks for timeouts. */
  check: number;
};

/** Longer than the 60 seconds of usual balancers, which must close first, or requests in flight are lost. */
const usual: ClientLimits = {
  keepAlive: 65_000,
  headers: 20_000,
  request: 30_000,
  idle: 45_000,
  rest: 5_000,
  restBytes: 16 * 1024 * 1024,
  check: 5_000,
};

/** Unfinished answers of each server, with free slots. */
const underWay = new WeakMap<Server, (ServerResponse | undefined)[]>();

/** An HTTP server around the app: slow clients time out, and malformed HTTP is answered with the envelope too. */
export function createHttpServer(app: RequestListener, given: Partial<ClientLimits> = {}): Server {
  const allowed = { ...usual, ...given };
  const server = createServer(
    {
      maxHeaderSize: limits.headerBytes,
      headersTimeout: allowed.headers,
      requestTimeout: allowed.request,
      keepAliveTimeout: allowed.keepAlive,
      connectionsCheckingInterval: allowed.check,
      // The app answers a request without Host itself, in the envelope.
      requireHostHeader: false,
    },
    app,
  );
  // A client that never reads the answer times out too.
  server.setTimeout(allowed.idle);
  // An array: a Set that changes with each request is rebuilt all the time, and V8 keeps the old ones, with their requests
  // and answers, until the next full garbage collection.
  const answers: (ServerResponse | undefined)[] = [];
  const free: number[] = [];
  underWay.set(server, answers);
  const follow = (request: IncomingMessage, response: ServerResponse): void => {
    const place = free.pop() ?? answers.length;
    answers[place] = response;
    response.on("close", () => {
      answers[place] = undefined;
      free.push(place);
      if (!request.complete && !request.socket.destroyed) awaitRest(request, allowed);
    });
    if (!server.listening) announceEnd(response);
  };
  server.prependListener("request", follow);
  // An unknown expectation may be ignored (RFC 9110); Node would answer it without a body.
  server.on("checkExpectation", follow).on("checkExpectation", app);
  server.on("connect", (_request, socket) => {
    socket.end(rawAnswer(new ApiError("INVALID_REQUEST", "This server is no proxy.")));
  });
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Socket) => {
    // An unused connection gets no answer, which would be taken for that of its next request.
    const isUnused = socket.bytesRead === 0;
    // Behind what was sent of another answer it would be taken for a part of that.
    const hasBegun = answers.some((answer) => answer?.socket === socket && answer.headersSent);
    if (error.code === "ECONNRESET" || isUnused || hasBegun || !socket.writable) socket.destroy();
    else socket.end(rawAnswer(clientError(error.code)));
  });
  return server;
}

/** Drops the rest of a request, and closes the connection where it takes too long or is too large. */
function awaitRest(request: IncomingMessage, { rest, restBytes }: ClientLimits): void {
  const { socket } = request;
  const most = socket.bytesRead + restBytes;
  const giveUp = () => {
    if (!request.complete) socket.destroy();
  };
  // Of the socket: Node hands out no more of a request that nobody reads.
  const count = () => {
    if (socket.bytesRead > most) giveUp();
  };
  socket.on("data", count);
  const timer = setTimeout(giveUp, rest).unref();
  request.once("close", () => {
    clearTimeout(timer);
    socket.off("data", count);
  });
}

function clientError(code: string | undefined): ApiError {
  if (code === "HPE_HEADER_OVERFLOW") {
    return new ApiError("HEADERS_TOO_LARGE", `The headers are larger than ${limits.headerBytes} bytes.`);
  }
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") {
    return new ApiError("REQUEST_TIMEOUT", "The request did not arrive in time.");
  }
  return new ApiError("INVALID_REQUEST", "This is not a valid HTTP request.");
}

function rawAnswer(error: ApiError): string {
  const body = JSON.stringify(failure(error));
  return [
    `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}`,
    "Content-Type: application/json; charset=utf-8",
    `Content-Length: ${Buffer.byteLength(body)}`,
    "Cache-Control: no-store",
    "Connection: close",
    "",
    body,
  ].join("\r\n");
}

/** @throws where it cannot listen on the port */
export async function listen(server: Server, port: number, host: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve();
    });
  });
}

/** Sends `Connection: close`, so that the next request uses another connection. */
function announceEnd(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader("Connection", "close");
}

/** Stops accepting connections, waits for running requests for `milliseconds`, and closes the rest. */
export async function close(server: Server, drain = DRAIN): Promise<void> {
  let closed = false;
  const closing = new Promise<void>((resolve) => server.close(() => resolve())).then(() => {
    closed = true;
  });
  for (const answer of underWay.get(server) ?? []) if (answer !== undefined) announceEnd(answer);
  const deadline = Date.now() + drain;
  while (!closed && Date.now() < deadline) {
    // A connection that is kept alive becomes idle only when its answer is out.
    server.closeIdleConnections();
    await Promise.race([closing, sleep(50)]);
  }
  server.closeAllConnections();
  await closing;
}
