import type { JWTVerifyGetKey } from "jose";
import { z } from "zod";
import { providerUnavailable } from "./errors.ts";
import { createKeySet } from "./key-set.ts";
import { readProviderDocument } from "./provider-document.ts";

/** Timeout of each of two reads in milliseconds, so that a caller waits at most five seconds. */
const TIMEOUT = 2_500;
/** Milliseconds for which the issuer's description is cached, and the pause after a failed read. */
const MAX_AGE = 600_000;
const RETRY_PAUSE = 30_000;

const metadata = z.object({ issuer: z.string(), jwks_uri: z.url({ protocol: /^https?$/ }) });

/**
 * Finds the issuer's keys by OpenID Connect Discovery when first needed. Later the description is refreshed in the
 * background while the cached one stays in use.
 */
export function discoverKeys(issuer: string): () => Promise<JWTVerifyGetKey> {
  let known: { keys: JWTVerifyGetKey; uri: string; at: number } | undefined;
  let reading: Promise<void> | undefined;

  const read = async () => {
    const uri = await readJwksUri(issuer);
    // The same address keeps its key set, which holds the cache and the pause.
    const keys = known?.uri === uri ? known.keys : createKeySet(new URL(uri), TIMEOUT);
    known = { keys, uri, at: Date.now() };
  };

  const retryLater = () => {
    if (known !== undefined) known.at = Date.now() - MAX_AGE + RETRY_PAUSE;
  };

  return async () => {
    if (known === undefined || Date.now() - known.at > MAX_AGE) {
      reading ??= read().finally(() => {
        reading = undefined;
      });
      if (known === undefined) await reading;
      else void reading.catch(retryLater);
    }
    if (known === undefined) throw providerUnavailable("it does not answer");
    return known.keys;
  };
}

async function readJwksUri(issuer: string): Promise<string> {
  const address = `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
  const { data } = metadata.safeParse(await readProviderDocument(address, TIMEOUT));
  if (data === undefined) {
    throw providerUnavailable("its description names no issuer, or no jwks_uri that is a URL");
  }
  // An issuer with another name could vouch for users of somebody else.
  if (data.issuer !== issuer) {
    const name = JSON.stringify(data.issuer.slice(0, 300));
    throw providerUnavailable(
      `it calls itself by another name, ${name}: OIDC_ISSUER must say it to the letter, with the slash at its end or without`,
    );
  }
  if (issuer.startsWith("https:") && !data.jwks_uri.startsWith("https:")) {
    throw providerUnavailable("its jwks_uri is not https, as the issuer is");
  }
  return data.jwks_uri;
}
