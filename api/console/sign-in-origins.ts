import { z } from "zod";
import { readProviderDocument } from "../auth/provider-document.ts";

/** Timeout of reading the provider's description, in milliseconds: a page waits for it. */
const TIMEOUT = 2_500;
/** Milliseconds for which the description is cached, and for which a failed read is not tried again. */
const MAX_AGE = 600_000;
const RETRY_PAUSE = 30_000;

/** Endpoints that a page calls to sign somebody in; the provider's own page is opened instead. */
const endpoints = z.object({
  token_endpoint: z.string(),
  userinfo_endpoint: z.string().optional(),
  end_session_endpoint: z.string().optional(),
  revocation_endpoint: z.string().optional(),
  jwks_uri: z.string().optional(),
});

/**
 * The origins that the console calls to sign people in: the issuer's, and those of its endpoints. While the provider
 * cannot be read, the issuer's alone.
 */
export function signInOrigins(issuer: string): () => Promise<readonly string[]> {
  const own = [originOf(issuer)].filter((origin) => origin !== undefined);
  let known: { origins: readonly string[]; until: number } | undefined;
  let reading: Promise<void> | undefined;

  const read = async () => {
    try {
      const address = `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
      const found = Object.values(endpoints.parse(await readProviderDocument(address, TIMEOUT)));
      const others = found.map(originOf).filter((origin) => origin !== undefined);
      known = { origins: [...new Set([...own, ...others])], until: Date.now() + MAX_AGE };
    } catch {
      // Signing in fails with words of its own; every other page needs no provider.
      known = { origins: known?.origins ?? own, until: Date.now() + RETRY_PAUSE };
    }
  };

  return async () => {
    if (known === undefined || Date.now() > known.until) {
      reading ??= read().finally(() => {
        reading = undefined;
      });
      if (known === undefined) await reading;
    }
    return known?.origins ?? own;
  };

  /** @returns undefined of what a content security policy cannot name, and of plain http at an issuer with TLS */
  function originOf(text = ""): string | undefined {
    const url = URL.parse(text);
    const schemes = issuer.startsWith("https:") ? ["https:"] : ["https:", "http:"];
    if (url === null || !schemes.includes(url.protocol)) return undefined;
    // A host may have a semicolon or comma, which would end the directive.
    return /^[a-z0-9.-]+$|^\[[0-9a-f:.]+\]$/.test(url.hostname) ? url.origin : undefined;
  }
}
