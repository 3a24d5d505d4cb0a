import type { IncomingMessage } from "node:http";
import type { KeyHolder, KeyScope } from "../../db/service/api-keys.ts";
import type { User } from "../../db/service/wallets.ts";
import { ApiError, type ErrorCode } from "../../domain/errors.ts";
import { headerValues } from "../../domain/headers.ts";
import type { Gate } from "../http/rate-limit/gate.ts";
import type { Caller } from "../operation/caller.ts";
import type { Dependencies } from "../operation/dependencies.ts";
import { type Route, scopeOf } from "../operation/route.ts";
import { invalid } from "./errors.ts";

/** Dependencies of authentication; the gate applies the rate limits. */
type Entrance = { services: Pick<Dependencies, "keys" | "identity">; gate: Gate };

const failures: readonly ErrorCode[] = ["API_KEY_INVALID", "IDENTITY_TOKEN_INVALID"];

/**
 * Authenticates a call.
 * @throws ApiError 401 where a credential is missing that the operation needs, or one was sent that is not valid;
 *   403 where a key was sent whose scope is too narrow for the operation; 429 where the gate is closed
 */
export async function authenticate(
  entrance: Entrance,
  request: IncomingMessage,
  route: Pick<Route, "access" | "method" | "scope">,
): Promise<Caller> {
  try {
    return await callerOf(entrance, request, route);
  } catch (error) {
    if (error instanceof ApiError && failures.includes(error.code)) await entrance.gate.failure();
    throw error;
  }
}

async function callerOf(
  entrance: Entrance,
  request: IncomingMessage,
  route: Pick<Route, "access" | "method" | "scope">,
): Promise<Caller> {
  const { access } = route;
  if (access === "open" || access === "public") {
    await (access === "open" ? entrance.gate.address() : entrance.gate.publicly());
    return { tenant: undefined, keyId: undefined, user: undefined };
  }
  const holder = await holderOf(entrance, request, scopeOf(route), access === "key");
  const user = await userOf(entrance, request, access === "bearer", holder === undefined);
  if (access === "either" && holder === undefined && user === undefined) {
    throw new ApiError(
      "API_KEY_MISSING",
      "This operation needs an API key in the header X-API-KEY, or an identity token in Authorization.",
    );
  }
  return { tenant: holder?.tenant, keyId: holder?.id, user };
}

async function holderOf(
  { services: { keys }, gate }: Entrance,
  request: IncomingMessage,
  scope: KeyScope,
  required: boolean,
): Promise<KeyHolder | undefined> {
  const [key, ...others] = headerValues(request, "x-api-key");
  if (key === undefined) {
    await gate.address();
    if (!required) return undefined;
    throw new ApiError("API_KEY_MISSING", "This operation needs an API key in the header X-API-KEY.");
  }
  const holder = others.length > 0 ? undefined : await keys.find(key, gate.guess);
  if (holder === undefined) {
    await gate.address();
    const problem =
      others.length > 0 ? "There is more than one X-API-KEY header" : "The API key is unknown or revoked";
    throw new ApiError("API_KEY_INVALID", `${problem}.`);
  }
  await gate.key(holder.id);
  if (!holder.scopes.includes(scope)) {
    throw new ApiError(
      "KEY_SCOPE_TOO_NARROW",
      `This operation needs an API key of scope ${scope}, and this one is of scope ${holder.scopes.join()}.`,
    );
  }
  return holder;
}

async function userOf(
  { services: { identity }, gate }: Entrance,
  request: IncomingMessage,
  required: boolean,
  unknown: boolean,
): Promise<User | undefined> {
  const [authorization, ...others] = headerValues(request, "authorization");
  if (authorization === undefined) {
    if (!required) return undefined;
    throw new ApiError(
      "IDENTITY_TOKEN_MISSING",
      "This operation needs an identity token in the header Authorization, as Bearer <token>.",
    );
  }
  if (unknown) gate.guess();
  if (others.length > 0) throw invalid("there is more than one Authorization header");
  const [, token] = /^Bearer +([^\s]+)$/i.exec(authorization) ?? [];
  if (token === undefined) throw invalid("the header is not of the form Bearer <token>");
  return await identity(token);
}
