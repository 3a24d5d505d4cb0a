import type { Request, Response } from "express";
import { ApiError } from "../../domain/errors.ts";
import { addHeader } from "../head.ts";
import type { Limit, Standing } from "./limit.ts";
import { networkOf } from "./network.ts";
import type { RateLimits } from "./rate-limits.ts";

/**
 * What one request has to pass, each of it once at most; every method throws RATE_LIMITED where its limit is
 * used up. The answer's headers say where the caller is (draft-ietf-httpapi-ratelimit-headers-10).
 */
export type Gate = {
  /** The request has this valid key. */
  key(id: string): Promise<void>;
  /** The request has no valid key. */
  address(): Promise<void>;
  /** Before a credential is looked at that may be a guess. */
  guess(): void;
  /** A credential turned out to be none. */
  failure(): Promise<void>;
};

/** For what is asked by the machines that look after the service. */
export const openToAll: Gate = {
  async key() {},
  async address() {},
  guess() {},
  async failure() {},
};

export function openGate(limits: RateLimits, request: Request, response: Response): Gate {
  const policies: string[] = [];
  const standings: string[] = [];

  function pass({ rule: { name, most, windowSeconds } }: Limit, standing: Standing, refusal: string): void {
    const { allowed, left, seconds } = standing;
    policies.push(`"${name}";q=${most};w=${windowSeconds}`);
    standings.push(`"${name}";r=${left};t=${seconds}`);
    addHeader(response, "RateLimit-Policy", policies.join(", "));
    addHeader(response, "RateLimit", standings.join(", "));
    if (allowed) return;
    response.setHeader("Retry-After", seconds);
    throw new ApiError("RATE_LIMITED", `${refusal} Try again in ${seconds} seconds.`);
  }

  const { key, address, failures } = limits;
  const per = ({ rule }: Limit) => `in ${rule.windowSeconds} seconds, as many as are allowed.`;
  return {
    async key(id) {
      if (key === undefined) return;
      const standing = await key.use(id);
      pass(key, standing, `This API key has made ${key.rule.most} requests ${per(key)}`);
    },
    async address() {
      if (address === undefined) return;
      const standing = await address.use(callerOf(request));
      const without = "requests without a valid API key came from your address";
      pass(address, standing, `${address.rule.most} ${without} ${per(address)}`);
    },
    guess() {
      const standing = failures?.look(callerOf(request));
      if (failures !== undefined && standing?.allowed === false) pass(failures, standing, guesses(failures));
    },
    async failure() {
      if (failures === undefined) return;
      pass(failures, await failures.use(callerOf(request)), guesses(failures));
    },
  };

  function guesses(limit: Limit): string {
    return `${limit.rule.most} requests with wrong credentials came from your address ${per(limit)}`;
  }
}

/** The network of the peer, or of whom the trusted proxies name; what they name in another form is not believed. */
function callerOf({ ip, socket }: Request): string {
  return networkOf(ip ?? "") ?? networkOf(socket.remoteAddress ?? "") ?? "unknown";
}
