import type { JWTVerifyGetKey } from "jose";
import { z } from "zod";
import { providerUnavailable } from "./errors.ts";
import { createKeySet } from "./key-set.ts";
import { readProviderDocument } from "./provider-document.ts";

/** For each of two reads, so that a caller is not kept for longer than five seconds. */
const TIMEOUT = 2_500;
/** How long the issuer's description is used before it is read again, and the pause after a read that failed. */
const MAX_AGE = 600_000;
const RETRY_PAUSE = 30_000;

const metadata = z.object({ issuer: z.string(), jwks_uri: z.url({ protocol: /^https?$/ }) });

/**
 * Finds the issuer's keys by OpenID Connect Discovery, when they are needed first. Later the description is read
 * again beside the requests, none of which waits for it: what was read before stays in use until then.
 */
export function discoverKeys(issuer: string): () => Promise<JWTVerifyGetKey> {
  let known: { keys: JWTVerifyGetKey; uri: string; at: number } | undefined;
  let reading: Promise<void> | undefined;

  const read = async () => {
    const uri = await readJwksUri(issuer);
    // The same address keeps its key set: its cache and its pause between two reads live in it.
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
  // An issuer that calls itself by another name could vouch for users that are not its own.
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
