import type { IncomingMessage, ServerResponse } from "node:http";
import { ApiError } from "../../../domain/errors.ts";
import type { Limit, Standing } from "./limit.ts";
import type { RateLimits } from "./rate-limits.ts";

/**
 * Rate limits of one request, each applied at most once; every method throws RATE_LIMITED where its limit is used up.
 * The answer's headers show the caller's use (draft-ietf-httpapi-ratelimit-headers-10).
 */
export type Gate = {
  /** The request has this valid key. */
  key(id: string): Promise<void>;
  /** The request has no valid key. */
  address(): Promise<void>;
  /** The request is for what everybody may read, whatever credentials it has. */
  publicly(): Promise<void>;
  /** Before an unknown credential is verified. */
  guess(): void;
  /** A credential was invalid. */
  failure(): Promise<void>;
};

/** No limits, for probes. */
export const openToAll: Gate = {
  async key() {},
  async address() {},
  async publicly() {},
  guess() {},
  async failure() {},
};

export function openGate(
  { key, address, publicly, failures, callerOf }: RateLimits,
  request: IncomingMessage,
  response: ServerResponse,
): Gate {
  return {
    key: (id) => passKey(key, id, response),
    async address() {
      if (address === undefined) return;
      const standing = await address.use(callerOf(request));
      pass(address, standing, response, strangers);
    },
    async publicly() {
      if (publicly === undefined) return;
      pass(publicly, await publicly.use(callerOf(request)), response, publicReads);
    },
    guess() {
      const standing = failures?.look(callerOf(request));
      if (failures !== undefined && standing?.allowed === false) {
        pass(failures, standing, response, guesses);
      }
    },
    async failure() {
      if (failures === undefined) return;
      pass(failures, await failures.use(callerOf(request)), response, guesses);
    },
  };
}

const strangers = (most: number) => `${most} requests without a valid API key came from your address`;
const publicReads = (most: number) => `${most} requests to public operations came from your address`;
const guesses = (most: number) => `${most} requests with wrong credentials came from your address`;
const keyUses = (most: number) => `This API key has made ${most} requests`;

/** Adds to a header that lists one item for each limit. */
function addItem(response: ServerResponse, name: string, item: string): void {
  const before = response.getHeader(name);
  response.setHeader(name, before === undefined ? item : `${before}, ${item}`);
}

/** Lets a request with this valid key pass, or throws RATE_LIMITED. */
async function passKey(limit: Limit | undefined, id: string, response: ServerResponse): Promise<void> {
  if (limit === undefined) return;
  const standing = await limit.use(id);
  pass(limit, standing, response, keyUses);
}

function pass(
  limit: Limit,
  { allowed, left, seconds }: Standing,
  response: ServerResponse,
  usesOf: (most: number) => string,
): void {
  const { name, most, windowSeconds } = limit.rule;
  addItem(response, "RateLimit-Policy", limit.policy);
  addItem(response, "RateLimit", `"${name}";r=${left};t=${seconds}`);
  if (allowed) return;
  response.setHeader("Retry-After", seconds);
  const refusal = `${usesOf(most)} in ${windowSeconds} seconds, as many as are allowed.`;
  throw new ApiError("RATE_LIMITED", `${refusal} Try again in ${seconds} seconds.`);
}
