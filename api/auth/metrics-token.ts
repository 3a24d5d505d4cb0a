import { bearsMetricsToken } from "../../config/metrics-token.ts";
import { ApiError } from "../../domain/errors.ts";
import type { Head } from "../../domain/headers.ts";

/**
 * Requires METRICS_TOKEN as bearer token, where it is set.
 * @throws ApiError METRICS_TOKEN_INVALID
 */
export function requireMetricsToken(request: Head, digest: Buffer | undefined): void {
  if (digest === undefined || bearsMetricsToken(request, digest)) return;
  throw new ApiError(
    "METRICS_TOKEN_INVALID",
    "The metrics of this service need the operator's token in the header Authorization, as Bearer <token>.",
  );
}
