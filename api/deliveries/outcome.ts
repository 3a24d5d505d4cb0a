/** Why an attempt failed, by code, as the log of deliveries shows it. */
export const attemptProblems = {
  URL_NOT_ALLOWED: "no request may go to this URL",
  ADDRESS_NOT_ALLOWED: "the host has an address to which no request may go; none was sent",
  UNKNOWN_HOST: "the host name has no address",
  CONNECTION_FAILED: "no connection, or it was lost before an answer",
  TLS_FAILED: "no TLS connection, or the certificate is not trusted",
  TIMEOUT: "no answer in time, or its body did not end in time",
  INVALID_ANSWER: "the answer is no HTTP",
  CLOSED_EARLY: "the connection was closed in the middle of the answer",
  ANSWER_TOO_LARGE: "the body of the answer is too long",
  REDIRECT: "the receiver redirects, which is not followed",
  NOT_ACCEPTED: "the receiver answered another status than 2xx",
} as const;

export type AttemptProblem = keyof typeof attemptProblems;

/** How an attempt to deliver ended. */
export type Outcome = {
  /** Milliseconds. */
  duration: number;
  /** HTTP status, where there was an answer. */
  status: number | undefined;
  /** Undefined where the receiver accepted it. */
  problem: AttemptProblem | undefined;
  /** A sentence about the problem. */
  message: string | undefined;
  /** The first bytes of the body of the answer, as text. */
  answer: string;
  /** Milliseconds for which the receiver asks for no other attempt. */
  retryAfter: number | undefined;
};

/** Bytes of an answer that are kept. */
export const KEPT_BYTES = 1_024;

/** Text of any bytes: what cannot be shown is replaced. */
export function inertText(bytes: Buffer): string {
  return bytes
    .subarray(0, KEPT_BYTES)
    .toString("utf8")
    .replaceAll(/[^\P{C}\n\t]/gu, "\u{fffd}");
}
