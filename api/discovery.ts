import { createRemoteJWKSet, errors, type JWTVerifyGetKey } from "jose";
import { z } from "zod";
import { ApiError } from "../domain/errors.ts";

/** For each of two reads, so that a caller is not kept for longer than five seconds. */
const TIMEOUT = 2_500;
/** How long the issuer's description is used before it is read again. */
const MAX_AGE = 600_000;
/** Between two reads of the keys for tokens whose key is not among them: anybody can make such tokens up. */
const UNKNOWN_KEY_PAUSE = 30_000;

const metadata = z.object({ issuer: z.string(), jwks_uri: z.url({ protocol: /^https?$/ }) });

/**
 * Finds the issuer's keys by OpenID Connect Discovery, when they are needed first. While the issuer cannot
 * be read, what was read before stays in use.
 */
export function discoverKeys(issuer: string): () => Promise<JWTVerifyGetKey> {
  let known: { keys: JWTVerifyGetKey; uri: string; at: number } | undefined;
  let reading: Promise<void> | undefined;

  const read = async () => {
    const uri = await readJwksUri(issuer);
    // The same address keeps its key set: its cache and its pause between two reads live in it.
    const keys = known?.uri === uri ? known.keys : keysAt(new URL(uri));
    known = { keys, uri, at: Date.now() };
  };

  return async () => {
    if (known === undefined || Date.now() - known.at > MAX_AGE) {
      reading ??= read().finally(() => {
        reading = undefined;
      });
      await reading.catch((error) => {
        if (known === undefined) throw error;
      });
    }
    if (known === undefined) throw providerUnavailable();
    return known.keys;
  };
}

/**
 * The keys at an address, read when they are needed first, and every ten minutes; and when a token names one that
 * is not among them, for the issuer may have a new one. The first such token is never told that its key does not
 * exist without a look. That look alone begins the pause, while jose would count from each read.
 */
function keysAt(url: URL): JWTVerifyGetKey {
  const keys = createRemoteJWKSet(url, {
    timeoutDuration: TIMEOUT,
    cooldownDuration: Number.POSITIVE_INFINITY,
  });
  let lookedAt = Number.NEGATIVE_INFINITY;
  return async (header, token) => {
    try {
      return await keys(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      if (!keys.reloading && Date.now() - lookedAt < UNKNOWN_KEY_PAUSE) throw error;
    }
    await keys.reload();
    lookedAt = Date.now();
    return await keys(header, token);
  };
}

async function readJwksUri(issuer: string): Promise<string> {
  const url = `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
  const answer = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT), redirect: "error" })
    .then(async (response) => (response.ok ? metadata.safeParse(await response.json()) : undefined))
    .catch(() => undefined);
  if (!answer?.success) throw providerUnavailable();
  // An issuer that calls itself by another name could vouch for users that are not its own.
  if (answer.data.issuer !== issuer) throw providerUnavailable("it calls itself by another name");
  return answer.data.jwks_uri;
}

export function providerUnavailable(problem = "it does not answer"): ApiError {
  return new ApiError(
    "IDENTITY_PROVIDER_UNAVAILABLE",
    `The identity provider's keys cannot be read: ${problem}. Try again later.`,
  );
}
