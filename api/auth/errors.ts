import { ApiError } from "../../domain/errors.ts";

/** The token is invalid: another one may be accepted. */
export function invalid(problem: string): ApiError {
  return new ApiError("IDENTITY_TOKEN_INVALID", `The identity token is not accepted: ${problem}.`);
}

/** The provider failed, so the token cannot be verified. */
export function providerUnavailable(problem: string): ApiError {
  return new ApiError(
    "IDENTITY_PROVIDER_UNAVAILABLE",
    `The identity provider's keys cannot be read: ${problem}. Try again later.`,
  );
}
