import type { ErrorCode, ErrorDetail } from "../../domain/errors.ts";

/** The service refused a call, or could not carry it out; docs/api.md says what each code means. */
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

/** No answer arrived, or none of this service: whether the call was carried out is not known. */
export class ConnectionError extends Error {
  override readonly name = "ConnectionError";
  /** Of what was answered in the service's place, by a proxy for one. */
  readonly status: number | undefined;
  readonly retryAfter: number | undefined;

  constructor(
    message: string,
    options: { cause?: unknown; status?: number; retryAfter?: number | undefined } = {},
  ) {
    super(message, options);
    this.status = options.status;
    this.retryAfter = options.retryAfter;
  }
}

/** An argument that no service could take: nothing was sent, and trying again cannot help. */
export class ArgumentError extends Error {
  override readonly name = "ArgumentError";
}

/** The state that was waited for cannot come any more, or did not come in time. */
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
