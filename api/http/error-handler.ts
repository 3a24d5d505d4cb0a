import type { ServerResponse } from "node:http";
import { isDatabaseUnavailable, isMissingRight, isUnknownToSchema } from "../../db/core/pool.ts";
import { ApiError, type ErrorCode } from "../../domain/errors.ts";
import { isNodeUnavailable } from "../../rpc/errors/unavailable.ts";
import { tooLarge } from "./body.ts";
import type { Followed, Log } from "./request-log.ts";
import { failure, send } from "./respond.ts";

const challenges: Partial<Record<ErrorCode, string>> = {
  API_KEY_MISSING: 'ApiKey realm="Asset Registry"',
  API_KEY_INVALID: 'ApiKey realm="Asset Registry"',
  IDENTITY_TOKEN_MISSING: 'Bearer realm="Asset Registry"',
  IDENTITY_TOKEN_INVALID: 'Bearer realm="Asset Registry", error="invalid_token"',
};

/**
 * Turns every exception into an answer.
 * @param schemaProblem reads which schema or privileges are missing, after a statement failed for them
 */
export function answerErrors(
  log: Log,
  schemaProblem: () => Promise<string | undefined>,
): (error: unknown, response: Followed) => void {
  return (error, response) => {
    if (!isUnknownToSchema(error) && !isMissingRight(error)) return answerError(error, response);
    schemaProblem()
      .catch(() => undefined)
      .then((problem) =>
        answerError(problem === undefined ? error : new ApiError("NOT_READY", problem), response),
      );
  };

  function answerError(error: unknown, response: Followed): void {
    const answer = asApiError(error);
    if (answer.status >= 500) logFailure(log, response.locals.requestId, answer, error);
    if (response.headersSent) {
      response.destroy();
      return;
    }
    const challenge = challenges[answer.code];
    if (challenge !== undefined) response.setHeader("WWW-Authenticate", challenge);
    if (answer.status === 503) response.setHeader("Retry-After", "5");
    if (answer.code === "IDEMPOTENCY_KEY_IN_USE" || answer.code === "TOO_MANY_AT_ONCE") {
      response.setHeader("Retry-After", "1");
    }
    if (answer.code === "TOO_MANY_STREAMS") response.setHeader("Retry-After", "10");
    if (answer.code === "RELAYER_BUDGET_SPENT") response.setHeader("Retry-After", String(secondsOfToday()));
    if (!response.req.complete && !response.shouldKeepAlive) closeAfterRequest(response);
    send(response, answer.status, failure(answer));
  }
}

/**
 * Keeps a connection that its client wants closed until the whole request has arrived: closed before, it would be
 * reset, and a client that reads only when it has sent everything would lose the answer.
 */
function closeAfterRequest(response: ServerResponse): void {
  const { req: request } = response;
  response.setHeader("Connection", "keep-alive");
  request.once("end", () => request.socket.end());
}

/** Seconds until the day (UTC) ends and the budget is reset. */
function secondsOfToday(): number {
  return 86_400 - (Math.floor(Date.now() / 1000) % 86_400);
}

function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof URIError) {
    return new ApiError("MALFORMED_PATH", "The path is not valid percent-encoded UTF-8.");
  }
  if (isNodeUnavailable(error)) {
    return new ApiError("NODE_UNAVAILABLE", "The chain's node does not answer. Try again later.");
  }
  if (isDatabaseUnavailable(error)) {
    return new ApiError("DATABASE_UNAVAILABLE", "The database does not answer. Try again later.");
  }
  return (
    bodyError(error) ??
    new ApiError("INTERNAL_ERROR", "The service failed. The request's id finds the reason in its log.")
  );
}

/** Errors of the body reader carry an HTTP status of the caller's fault. */
function bodyError(error: unknown): ApiError | undefined {
  if (!(error instanceof Error) || !("status" in error)) return undefined;
  if (error.status === 413) return tooLarge();
  if (error.status === 415) {
    return new ApiError("UNSUPPORTED_MEDIA_TYPE", "The body is in a compression that is not known here.");
  }
  if (error.status === 400) {
    return new ApiError("MALFORMED_JSON", "The body cannot be read: it is cut short or badly compressed.");
  }
  return undefined;
}

/** Logs the cause under the request id that the caller has. */
function logFailure(log: Log, id: unknown, answer: ApiError, error: unknown): void {
  const failed = error instanceof Error ? error : new Error(String(error));
  const cause = failed instanceof ApiError && failed.cause instanceof Error ? failed.cause : failed;
  if (answer.code === "INTERNAL_ERROR") {
    const { name: type, message, stack } = cause;
    log.error({ id, code: answer.code, err: { type, message, stack } }, "request failed");
  } else {
    log.warn({ id, code: answer.code, err: { message: cause.message } }, "request failed");
  }
}
