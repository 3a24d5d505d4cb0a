/** Why nobody was signed in. */
export type SignInFailure =
  /** The page was loaded by plain http, where browsers give no cryptography. */
  | "INSECURE"
  /** The browser forbids the page to store anything. */
  | "NO_STORAGE"
  /** The provider does not answer, or not this page. */
  | "UNREACHABLE"
  /** The visitor cancelled, or refused what the provider asked. */
  | "REFUSED"
  /** The answer belongs to no sign-in that this tab has begun and not ended. */
  | "NOT_OURS"
  /** The provider takes the code no more. */
  | "TOO_LATE"
  /** The provider refuses by a message of its own. */
  | "DECLINED"
  /** The provider answered what makes no sense. */
  | "BAD_ANSWER";

/** Nobody was signed in; `said` are the provider's own words. */
export class SignInProblem extends Error {
  override readonly name = "SignInProblem";
  readonly failure: SignInFailure;
  readonly said: string | undefined;

  constructor(failure: SignInFailure, said?: string) {
    super(said ?? failure);
    this.failure = failure;
    this.said = said;
  }
}

const byCode = new Map<unknown, SignInFailure>([
  ["access_denied", "REFUSED"],
  ["consent_required", "REFUSED"],
  ["interaction_required", "REFUSED"],
  ["login_required", "REFUSED"],
  ["invalid_grant", "TOO_LATE"],
  ["temporarily_unavailable", "UNREACHABLE"],
  ["server_error", "UNREACHABLE"],
]);

/** An error of oidc-client-ts, which tells some apart by their names and some by their words alone. */
export function readSignInProblem(thrown: unknown): SignInProblem {
  if (thrown instanceof SignInProblem) return thrown;
  if (!(thrown instanceof Error)) return new SignInProblem("BAD_ANSWER");
  const { name, message } = thrown;
  if (name === "ErrorResponse") {
    const { error, error_description: description } = thrown as Error & Record<string, unknown>;
    const said = [description, error].find((text) => typeof text === "string" && text !== "");
    return new SignInProblem(byCode.get(error) ?? "DECLINED", said as string | undefined);
  }
  // A browser reports what it could not load as a TypeError.
  const isAway = name === "ErrorTimeout" || name === "TypeError";
  // What stands in the place of a provider that is down answers pages, or nothing but a status.
  const isOther = message.startsWith("Invalid response Content-Type") || /\([45]\d\d\)/.test(message);
  return new SignInProblem(isAway || isOther ? "UNREACHABLE" : "BAD_ANSWER");
}
