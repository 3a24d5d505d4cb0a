import { hash, timingSafeEqual } from "node:crypto";
import { type Head, headerValues } from "../domain/headers.ts";

const scheme = "bearer ";

/** Digests are compared instead of tokens, so that neither length nor timing leaks. */
export function metricsTokenDigest(token: string): Buffer {
  return hash("sha256", token, "buffer");
}

/** Whether a request brings the token of METRICS_TOKEN, in the one header Authorization that it has. */
export function bearsMetricsToken(request: Head, digest: Buffer): boolean {
  const [given = "", ...others] = headerValues(request, "authorization");
  if (others.length > 0 || given.slice(0, scheme.length).toLowerCase() !== scheme) return false;
  return timingSafeEqual(metricsTokenDigest(given.slice(scheme.length).trim()), digest);
}
