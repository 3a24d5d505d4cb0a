import { timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { keyDigest } from "../db/keys.ts";
import { ApiError } from "../domain/errors.ts";
import { headerValues } from "./access.ts";

const scheme = "bearer ";

/**
 * Lets through who sends the token of METRICS_TOKEN; without that setting everybody.
 * @throws ApiError METRICS_TOKEN_INVALID
 */
export function requireMetricsToken(request: IncomingMessage, digest: Buffer | undefined): void {
  if (digest === undefined) return;
  const [given = "", ...others] = headerValues(request, "authorization");
  const isBearer = others.length === 0 && given.slice(0, scheme.length).toLowerCase() === scheme;
  if (isBearer && timingSafeEqual(keyDigest(given.slice(scheme.length).trim()), digest)) return;
  throw new ApiError(
    "METRICS_TOKEN_INVALID",
    "The metrics of this service need the operator's token in the header Authorization, as Bearer <token>.",
  );
}
