import { createHash } from "node:crypto";
import type { Request } from "express";
import type { KeyedRequest } from "../../db/service/idempotency-keys.ts";
import { headerValues } from "../../domain/headers.ts";
import { limits } from "../../domain/limits.ts";
import type { Caller } from "./caller.ts";
import { invalidRequest } from "./parse.ts";
import { type Route, takesIdempotencyKey } from "./route.ts";

const header = "Idempotency-Key";

/** Visible ASCII, or a string of RFC 9651 as the draft of the header has it: `"…"` with `\"` and `\\`. */
const bare = /^[\x21\x23-\x7e][\x21-\x7e]*$/;
const quoted = /^"((?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])+)"$/;

/** Longest header: in quotation marks, with each character escaped. */
const longestSent = 2 * limits.idempotencyKeyLength + 2;

/**
 * The key of a POST or PATCH, without the quotes around it.
 * @returns undefined where none is sent, or the operation takes none
 * @throws ApiError INVALID_REQUEST
 */
export function idempotencyKey(request: Request, route: Pick<Route, "method">): string | undefined {
  if (!takesIdempotencyKey(route)) return undefined;
  const [sent, ...others] = headerValues(request, header.toLowerCase());
  if (sent === undefined) return undefined;
  const key = readKey(sent);
  if (others.length === 0 && key !== undefined && key.length <= limits.idempotencyKeyLength) return key;
  const message = `must be sent once, with 1 to ${limits.idempotencyKeyLength} visible ASCII characters`;
  throw invalidRequest([{ field: header, message }]);
}

function readKey(sent: string): string | undefined {
  if (sent.length > longestSent) return undefined;
  if (bare.test(sent)) return sent;
  return quoted.exec(sent)?.[1]?.replaceAll(/\\(.)/g, "$1");
}

/**
 * The scope of a key: API key, user and operation. Callers without credentials share keys with those who know the same
 * path.
 */
export function keyedRequest(
  request: Request,
  route: Pick<Route, "method" | "path">,
  caller: Caller,
  key: string,
): KeyedRequest {
  const { keyId, user } = caller;
  const nobody = keyId === undefined && user === undefined;
  const who = nobody ? [request.path] : [keyId ?? null, user?.issuer ?? null, user?.subject ?? null];
  const method = route.method.toUpperCase();
  const body: unknown = request.body;
  return {
    caller: createHash("sha256").update(JSON.stringify(who)).digest(),
    operation: `${method} ${route.path}`,
    key,
    fingerprint: createHash("sha256")
      .update(`${method} ${request.path}\n`)
      // The bytes as `readBody` left them.
      .update(Buffer.isBuffer(body) ? body : "")
      .digest(),
  };
}
