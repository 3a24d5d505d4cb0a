import type { IncomingMessage } from "node:http";
import type { KeyScope } from "../db/keys.ts";
import type { User } from "../db/wallets.ts";
import { ApiError } from "../domain/errors.ts";
import type { Dependencies } from "./dependencies.ts";
import { invalid } from "./identity.ts";
import type { Caller, Route } from "./route.ts";

/**
 * Finds out who calls.
 * @throws ApiError 401 where a credential is missing that the operation needs, or one was sent that is not valid;
 *   403 where a key was sent whose scope is too narrow for the operation
 */
export async function authenticate(
  services: Pick<Dependencies, "keys" | "identity">,
  request: IncomingMessage,
  { access, method }: Pick<Route, "access" | "method">,
): Promise<Caller> {
  if (access === "open") return { tenant: undefined, user: undefined };
  const tenant = await tenantOf(services, request, method === "get" ? "read" : "write", access === "key");
  const user = await userOf(services, request, access === "bearer");
  if (access === "either" && tenant === undefined && user === undefined) {
    throw new ApiError(
      "API_KEY_MISSING",
      "This operation needs an API key in the header X-API-KEY, or an identity token in Authorization.",
    );
  }
  return { tenant, user };
}

async function tenantOf(
  { keys }: Pick<Dependencies, "keys">,
  request: IncomingMessage,
  scope: KeyScope,
  required: boolean,
): Promise<string | undefined> {
  const [key, ...others] = headerValues(request, "x-api-key");
  if (key === undefined) {
    if (!required) return undefined;
    throw new ApiError("API_KEY_MISSING", "This operation needs an API key in the header X-API-KEY.");
  }
  if (others.length > 0) throw new ApiError("API_KEY_INVALID", "There is more than one X-API-KEY header.");
  const holder = await keys(key);
  if (holder === undefined) throw new ApiError("API_KEY_INVALID", "The API key is unknown or revoked.");
  if (!holder.scopes.includes(scope)) {
    throw new ApiError(
      "KEY_SCOPE_TOO_NARROW",
      `This operation needs an API key of scope ${scope}, and this one is of scope ${holder.scopes.join()}.`,
    );
  }
  return holder.tenant;
}

async function userOf(
  { identity }: Pick<Dependencies, "identity">,
  request: IncomingMessage,
  required: boolean,
): Promise<User | undefined> {
  const [authorization, ...others] = headerValues(request, "authorization");
  if (authorization === undefined) {
    if (!required) return undefined;
    throw new ApiError(
      "IDENTITY_TOKEN_MISSING",
      "This operation needs an identity token in the header Authorization, as Bearer <token>.",
    );
  }
  if (others.length > 0) throw invalid("there is more than one Authorization header");
  const [, token] = /^Bearer +([^\s]+)$/i.exec(authorization) ?? [];
  if (token === undefined) throw invalid("the header is not of the form Bearer <token>");
  return await identity(token);
}

/** Every value of a header: Node joins the copies of one header and drops those of another. */
export function headerValues({ rawHeaders }: IncomingMessage, name: string): string[] {
  return rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name);
}
