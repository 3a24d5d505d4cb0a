/** Why a document is no proof that this package reads. */
export type ProofErrorCode =
  | "too-large"
  | "too-deep"
  | "not-utf8"
  | "not-json"
  | "duplicate-member"
  | "unknown-format"
  | "unknown-version"
  | "missing-member"
  | "unknown-member"
  | "wrong-type"
  | "out-of-bounds";

/** A document that cannot be read as a proof; the message names the place and what must stand there. */
export class ProofError extends Error {
  override readonly name = "ProofError";
  readonly code: ProofErrorCode;

  constructor(code: ProofErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
