import { type ErrorCode, errorTable } from "../../domain/errors.ts";
import type { Access } from "./caller.ts";
import { type Route, takesIdempotencyKey } from "./route.ts";

const always: ErrorCode[] = [
  "INVALID_REQUEST",
  "MALFORMED_PATH",
  "REQUEST_TIMEOUT",
  "HEADERS_TOO_LARGE",
  "INTERNAL_ERROR",
  "DATABASE_UNAVAILABLE",
  "NOT_READY",
];
const identity: ErrorCode[] = ["IDENTITY_TOKEN_INVALID", "IDENTITY_PROVIDER_UNAVAILABLE"];
const key: ErrorCode[] = ["API_KEY_INVALID", "KEY_SCOPE_TOO_NARROW"];
const credentials: Record<Access, ErrorCode[]> = {
  open: [],
  public: [],
  key: ["API_KEY_MISSING", ...key, ...identity],
  either: ["API_KEY_MISSING", ...key, ...identity],
  bearer: ["IDENTITY_TOKEN_MISSING", ...key, ...identity],
  capability: [...key, ...identity],
};
/** Codes of operations that take an Idempotency-Key. */
const keyed: ErrorCode[] = ["IDEMPOTENCY_KEY_IN_USE", "IDEMPOTENCY_KEY_REUSED"];
const bodies: ErrorCode[] = ["MALFORMED_JSON", "BODY_TOO_LARGE", "UNSUPPORTED_MEDIA_TYPE"];

/** Every code that an operation may answer, in the order of the table: its own, and those of its kind. */
export function errorsOf(
  route: Pick<Route, "method" | "errors" | "access" | "body" | "unlimited">,
): ErrorCode[] {
  const { errors, access, body, unlimited } = route;
  const may = new Set<string>([
    ...errors,
    ...always,
    ...credentials[access],
    ...(unlimited ? [] : ["RATE_LIMITED"]),
    ...(body === undefined ? [] : bodies),
    ...(takesIdempotencyKey(route) ? keyed : []),
  ]);
  return (Object.keys(errorTable) as ErrorCode[]).filter((code) => may.has(code));
}
