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

/** Milliseconds that requests under way may take to end when the server stops. */
const DRAIN = 10_000;

/** Milliseconds that a client may take. */
export type Patience = {
  /** To make its next request on a connection that is kept. */
  keepAlive: number;
  /** To send the headers, from their first byte on. */
  headers: number;
  /** To send the whole request. */
  request: number;
  /** To send or to read the next byte. */
  idle: number;
  /** To send what is left of a request that was answered before it had come. */
  rest: number;
  /** Between two looks for those that take too long. */
  check: number;
};

/** Balancers keep connections for 60 seconds; whoever closes first must be them, or requests under way are lost. */
const usual: Patience = {
  keepAlive: 65_000,
  headers: 20_000,
  request: 30_000,
  idle: 45_000,
  rest: 5_000,
  check: 5_000,
};

/** Answers that each server has not finished, and places where one was. */
const underWay = new WeakMap<Server, (ServerResponse | undefined)[]>();

/** An HTTP server around the app: slow clients are cut off, and what is no HTTP gets the envelope too. */
export function createHttpServer(app: RequestListener, given: Partial<Patience> = {}): Server {
  const patience = { ...usual, ...given };
  const server = createServer(
    {
      maxHeaderSize: limits.headerBytes,
      headersTimeout: patience.headers,
      requestTimeout: patience.request,
      keepAliveTimeout: patience.keepAlive,
      connectionsCheckingInterval: patience.check,
      // The app answers a request without Host itself, in the envelope.
      requireHostHeader: false,
    },
    app,
  );
  // Whoever asks and never reads the answer holds a connection, too.
  server.setTimeout(patience.idle);
  // In an array: a Set that changes with each request makes itself anew all the time, and V8 lets the old ones
  // hold the newer, with all that was asked and answered, until the next collection of everything.
  const answers: (ServerResponse | undefined)[] = [];
  const free: number[] = [];
  underWay.set(server, answers);
  const follow = (request: IncomingMessage, response: ServerResponse): void => {
    const place = free.pop() ?? answers.length;
    answers[place] = response;
    response.on("close", () => {
      answers[place] = undefined;
      free.push(place);
      if (!request.complete && !request.socket.destroyed) awaitRest(request, patience.rest);
    });
    if (!server.listening) announceEnd(response);
  };
  server.prependListener("request", follow);
  // An expectation that is not known may be ignored (RFC 9110); Node would answer it without a body.
  server.on("checkExpectation", follow).on("checkExpectation", app);
  server.on("connect", (_request, socket) => {
    socket.end(rawAnswer(new ApiError("INVALID_REQUEST", "This server is no proxy.")));
  });
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Socket) => {
    // A connection that was opened ahead and never used expects no answer: it would be taken for the next one's.
    const isUnused = socket.bytesRead === 0;
    if (error.code === "ECONNRESET" || isUnused || !socket.writable) socket.destroy();
    else socket.end(rawAnswer(clientError(error.code)));
  });
  return server;
}

/** Ends the connection where the rest of a request, which is read and dropped, has not come by then. */
function awaitRest(request: IncomingMessage, milliseconds: number): void {
  setTimeout(() => {
    if (!request.complete) request.socket.destroy();
  }, milliseconds).unref();
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

/** @throws where the port cannot be had */
export async function listen(server: Server, port: number, host: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve();
    });
  });
}

/** Tells the caller to make its next request on another connection: this one will be gone. */
function announceEnd(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader("Connection", "close");
}

/** Takes no new connections, lets requests under way end for so many milliseconds, and closes what is left. */
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
