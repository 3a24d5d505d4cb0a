import cors from "cors";
import type { RequestHandler } from "express";

const sent = [
  "Content-Type",
  "X-API-KEY",
  "Authorization",
  "X-Request-Id",
  "Idempotency-Key",
  "Last-Event-ID",
];
const read = [
  "X-Request-Id",
  "RateLimit",
  "RateLimit-Policy",
  "Retry-After",
  "Location",
  "Allow",
  "WWW-Authenticate",
  "Idempotency-Replayed",
];

/**
 * CORS for pages of these origins, without cookies or other ambient credentials.
 */
export function allowOrigins(origins: readonly string[]): RequestHandler {
  const allow = cors({
    origin: [...origins],
    methods: ["GET", "HEAD", "POST", "PATCH", "DELETE"],
    allowedHeaders: sent,
    exposedHeaders: read,
    maxAge: 7_200,
  });
  return (request, response, next) => {
    // Any other OPTIONS is a method that no path supports.
    const preflight = request.headers["access-control-request-method"] !== undefined;
    if (request.method === "OPTIONS" && !preflight) next();
    else allow(request, response, next);
  };
}
