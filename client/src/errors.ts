import type { ErrorDetail } from "./types/envelope.ts";
import type { ErrorCode } from "./types/error-code.ts";

/** The service refused a call or could not carry it out. */
export class RegistryError extends Error {
  override readonly name = "RegistryError";
  readonly code: ErrorCode;
  readonly status: number;
  /** Each bad field of the request. */
  readonly details: ErrorDetail[];
  /** Finds the call in the service's log. */
  readonly requestId: string | undefined;
  /** Milliseconds after which the service asks to come back. */
  readonly retryAfter: number | undefined;

  constructor(failure: {
    code: ErrorCode;
    message: string;
    status: number;
    details: ErrorDetail[];
    requestId: string | undefined;
    retryAfter: number | undefined;
  }) {
    super(failure.message);
    this.code = failure.code;
    this.status = failure.status;
    this.details = failure.details;
    this.requestId = failure.requestId;
    this.retryAfter = failure.retryAfter;
  }
}

/** No answer of the service arrived, so whether the call was carried out is unknown. */
export class ConnectionError extends Error {
  override readonly name = "ConnectionError";
  /** HTTP status where something else answered, such as a proxy. */
  readonly status: number | undefined;
  /** Milliseconds after which that answer asks to come back. */
  readonly retryAfter: number | undefined;
  /** URL that was called, where it was one. */
  readonly url: string | undefined;

  constructor(
    message: string,
    options: { cause?: unknown; status?: number; retryAfter?: number | undefined; url?: string } = {},
  ) {
    super(message, options);
    this.status = options.status;
    this.retryAfter = options.retryAfter;
    this.url = options.url;
  }
}

/** A mistake in the caller's arguments: nothing was sent, and a retry cannot help. */
export class ArgumentError extends Error {
  override readonly name = "ArgumentError";
}

/** The awaited state can no longer come, or did not come in time. */
export class StateError extends Error {
  override readonly name = "StateError";
  readonly state: string;
  readonly reason: string | undefined;

  constructor(message: string, state: string, reason: string | undefined, options: { cause?: unknown } = {}) {
    super(message, options);
    this.state = state;
    this.reason = reason;
  }
}

/** A request to a receiver of webhooks that it must refuse, as by 400. */
export class WebhookError extends Error {
  override readonly name = "WebhookError";
  readonly code: "HEADER_MISSING" | "TIME_WRONG" | "SIGNATURE_MALFORMED" | "SIGNATURE_WRONG" | "BODY_WRONG";

  constructor(code: WebhookError["code"], message: string) {
    super(message);
    this.code = code;
  }
}
