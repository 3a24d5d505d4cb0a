import { createPublicKey, type JsonWebKey } from "node:crypto";
import { createRemoteJWKSet, customFetch, errors, type JWTVerifyGetKey } from "jose";
import { z } from "zod";
import { ApiError } from "../../domain/errors.ts";
import { invalid, providerUnavailable } from "./errors.ts";
import { readProviderDocument } from "./provider-document.ts";

/** Milliseconds between two reads for unknown key ids, which anybody can make up. */
const UNKNOWN_KEY_PAUSE = 30_000;
/** Most keys of one set. */
const MOST_KEYS = 100;
/** Shortest RSA key in bits (RFC 7518, 3.3). */
const LEAST_RSA_BITS = 2048;

const keySet = z.object({ keys: z.array(z.unknown()) });
const publicKey = z.looseObject({ kty: z.string(), kid: z.string().optional() });
type PublicKey = z.output<typeof publicKey>;

/** The usable keys of a set, and the problem of each other one by its id. */
type SortedKeys = { good: PublicKey[]; problems: Map<string | undefined, string> };

/**
 * The keys of a JWKS address, read when first needed, then every ten minutes, and for a token with an unknown key id,
 * since the issuer may have a new key. Only such a read starts the pause before the next one, whereas jose counts from
 * every read. Unusable keys are left out.
 */
export function createKeySet(url: URL, timeoutMs: number): JWTVerifyGetKey {
  let problems: SortedKeys["problems"] = new Map();
  const keys = createRemoteJWKSet(url, {
    timeoutDuration: timeoutMs,
    cooldownDuration: Number.POSITIVE_INFINITY,
    async [customFetch](address) {
      const read = keySet.safeParse(await readProviderDocument(address, timeoutMs));
      if (!read.success) throw providerUnavailable("its answer at jwks_uri is no set of keys");
      const sorted = sortKeys(read.data.keys);
      problems = sorted.problems;
      return Response.json({ keys: sorted.good });
    },
  });
  let lookedAt = Number.NEGATIVE_INFINITY;

  const find: JWTVerifyGetKey = async (header, token) => {
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

  return async (header, token) => {
    try {
      return await find(header, token);
    } catch (error) {
      if (error instanceof errors.JWKSNoMatchingKey) {
        const problem = problems.get(header.kid);
        if (problem === undefined) throw error;
        throw invalid(`the issuer's key that signed it cannot be used: ${problem}`);
      }
      const aboutToken =
        error instanceof errors.JWKSMultipleMatchingKeys || error instanceof errors.JOSENotSupported;
      throw aboutToken || error instanceof ApiError
        ? error
        : providerUnavailable("they are not as they should be");
    }
  };
}

function sortKeys(all: unknown[]): SortedKeys {
  const sorted: SortedKeys = { good: [], problems: new Map() };
  for (const one of all.slice(0, MOST_KEYS)) {
    const { data: key } = publicKey.safeParse(one);
    if (key === undefined) continue;
    const problem = keyProblem(key);
    if (problem === undefined) sorted.good.push(key);
    else sorted.problems.set(key.kid, problem);
  }
  return sorted;
}

function keyProblem(key: PublicKey): string | undefined {
  if (!["RSA", "EC", "OKP"].includes(key.kty)) return "it is not an RSA, EC or OKP key";
  if ("d" in key) return "its private part is published with it, so anybody may have signed";
  const bits = rsaBits(key);
  if (bits === undefined) return "it cannot be read";
  if (bits >= LEAST_RSA_BITS) return undefined;
  return `it is an RSA key of ${bits} bits, and at least ${LEAST_RSA_BITS} are needed`;
}

/** @returns undefined for a key that cannot be read, and infinity for one that is not RSA */
function rsaBits(key: PublicKey): number | undefined {
  try {
    const { asymmetricKeyDetails } = createPublicKey({ key: key as JsonWebKey, format: "jwk" });
    return asymmetricKeyDetails?.modulusLength ?? Number.POSITIVE_INFINITY;
  } catch {
    return undefined;
  }
}
