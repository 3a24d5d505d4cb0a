import type { Config } from "../../../config.ts";
import type { Pool } from "../../../db/core/pool.ts";
import type { Log } from "../request-log.ts";
import { type CallerOf, createCallerOf } from "./caller.ts";
import { createLimit, type Limit } from "./limit.ts";
import { createShare } from "./share.ts";

/** The configured limits; undefined where one is switched off. */
export type RateLimits = {
  /** Of requests with one API key. */
  key: Limit | undefined;
  /** Of requests without a valid key from one network. */
  address: Limit | undefined;
  /** Of requests to public operations from one network. */
  publicly: Limit | undefined;
  /** Of failed authentications from one network. */
  failures: Limit | undefined;
  /** The caller that a request without a valid key counts for. */
  callerOf: CallerOf;
};

const WINDOW_SECONDS = 60;

type Settings = Pick<
  Config,
  "RATE_LIMIT" | "RATE_LIMIT_ADDRESS" | "RATE_LIMIT_PUBLIC" | "RATE_LIMIT_FAILURES" | "TRUST_PROXY"
>;

export function createRateLimits(settings: Settings, pool: Pool, log: Log): RateLimits {
  const share = createShare(pool, log);
  const limit = (name: string, most: number) =>
    most === 0 ? undefined : createLimit({ name, most, windowSeconds: WINDOW_SECONDS }, share);
  return {
    key: limit("key", settings.RATE_LIMIT),
    address: limit("address", settings.RATE_LIMIT_ADDRESS),
    publicly: limit("public", settings.RATE_LIMIT_PUBLIC),
    failures: limit("failures", settings.RATE_LIMIT_FAILURES),
    callerOf: createCallerOf(settings.TRUST_PROXY ?? 0, log),
  };
}
