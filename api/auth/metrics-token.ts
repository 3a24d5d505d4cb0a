import { bearsMetricsToken } from "../../config/metrics-token.ts";
import { ApiError } from "../../domain/errors.ts";
import type { Head } from "../../domain/headers.ts";

/**
 * Lets through who sends the token of METRICS_TOKEN; without that setting everybody.
 * @throws ApiError METRICS_TOKEN_INVALID
 */
export function requireMetricsToken(request: Head, digest: Buffer | undefined): void {
  if (digest === undefined || bearsMetricsToken(request, digest)) return;
  throw new ApiError(
    "METRICS_TOKEN_INVALID",
    "The metrics of this service need the operator's token in the header Authorization, as Bearer <token>.",
  );
}
