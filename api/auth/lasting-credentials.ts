import type { IncomingMessage } from "node:http";
import { decodeJwt } from "jose";
import { keyDigest } from "../../db/service/api-keys.ts";
import { headerValues } from "../../domain/headers.ts";
import type { Caller } from "../operation/caller.ts";
import type { KeyRing } from "./api-keys.ts";
import { CLOCK_TOLERANCE } from "./id-token.ts";

/** Credentials of an authenticated request that outlasts its authentication. */
export type LastingCredentials = {
  /** The key, unless there is none; `name` is the same for requests with the same key. */
  key: { name: string; holds(): Promise<boolean> } | undefined;
  /** When the identity token is accepted no longer, in milliseconds since 1970; infinite without one. */
  expiresAt: number;
};

/** Lets an operation see when the credentials of its request, which were good, cease to be. */
export function lastingCredentials(
  keys: Pick<KeyRing, "find">,
  request: IncomingMessage,
  { tenant, keyId, user }: Caller,
): LastingCredentials {
  const [key] = headerValues(request, "x-api-key");
  const holds = async (text: string): Promise<boolean> => {
    const holder = await keys.find(text, () => {});
    return holder?.id === keyId && holder?.tenant === tenant && holder?.scopes.includes("read") === true;
  };
  return {
    key:
      key === undefined || keyId === undefined
        ? undefined
        : { name: keyDigest(key).toString("base64url"), holds: () => holds(key) },
    expiresAt: user === undefined ? Number.POSITIVE_INFINITY : expiryOf(request),
  };
}

/** Of the token that the request was authenticated by. */
function expiryOf(request: IncomingMessage): number {
  const [authorization = ""] = headerValues(request, "authorization");
  const { exp = 0 } = decodeJwt(authorization.slice(authorization.lastIndexOf(" ") + 1));
  return (exp + CLOCK_TOLERANCE) * 1000;
}
