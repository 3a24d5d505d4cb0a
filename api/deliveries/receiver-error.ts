import { AddressNotAllowedError, UnknownHostError } from "./lookup.ts";
import { type AttemptProblem, inertText } from "./outcome.ts";

/** A receiver does not do what it should, or no request may go to it. */
export class ReceiverError extends Error {
  override readonly name = "ReceiverError";
  readonly problem: AttemptProblem;

  constructor(problem: AttemptProblem, message: string) {
    super(message);
    this.problem = problem;
  }
}

type Problem = { problem: AttemptProblem; message: string };

const tlsCodes =
  /^(CERT_|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_|ERR_TLS_|HOSTNAME_MISMATCH)/;

/** Errors of OpenSSL itself, whose messages show addresses in the memory of this process. */
const libraryCodes = /^(EPROTO$|ERR_SSL_)/;

/** Words for errors of connections. */
const connectionWords: Readonly<Record<string, string>> = {
  ECONNREFUSED: "Nothing listens at the receiver's address and port.",
  ECONNRESET: "The receiver closed the connection without an answer.",
  EPIPE: "The receiver closed the connection without an answer.",
  EHOSTUNREACH: "There is no way to the receiver's address.",
  ENETUNREACH: "There is no way to the receiver's network.",
  ETIMEDOUT: "The receiver's address does not answer.",
};

/** Why a request failed, by code and in a sentence. */
export function problemOf(error: unknown): Problem {
  if (error instanceof ReceiverError) return { problem: error.problem, message: error.message };
  if (error instanceof AddressNotAllowedError) {
    return { problem: "ADDRESS_NOT_ALLOWED", message: error.message };
  }
  if (error instanceof UnknownHostError) return { problem: "UNKNOWN_HOST", message: error.message };
  // A host with several addresses fails with an error for each.
  const one: unknown = error instanceof AggregateError ? error.errors[0] : error;
  const code = one instanceof Error && "code" in one ? String(one.code) : "";
  const detail = one instanceof Error ? inertText(Buffer.from(one.message.slice(0, 200))) : "";
  if (code.startsWith("HPE_")) {
    return { problem: "INVALID_ANSWER", message: `The receiver's answer is no HTTP (${code}).` };
  }
  if (libraryCodes.test(code)) {
    return { problem: "TLS_FAILED", message: `The receiver speaks no TLS that this service does (${code}).` };
  }
  if (tlsCodes.test(code)) {
    return { problem: "TLS_FAILED", message: `No TLS connection to the receiver (${code}): ${detail}.` };
  }
  const message = connectionWords[code] ?? `No connection to the receiver (${code || detail}).`;
  return { problem: "CONNECTION_FAILED", message };
}
