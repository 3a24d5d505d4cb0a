import { decodeJwt, errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from "jose";
import type { User } from "../db/wallets.ts";
import { ApiError } from "../domain/errors.ts";
import { limits } from "../domain/limits.ts";
import { discoverKeys, providerUnavailable } from "./discovery.ts";

/** @throws ApiError IDENTITY_TOKEN_INVALID, or IDENTITY_PROVIDER_UNAVAILABLE where nobody can tell */
export type IdentityVerifier = (token: string) => Promise<User>;

/** Signatures that only the issuer can make: with a shared secret (HS256) whoever verifies could also sign. */
const algorithms = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
  "Ed25519",
];
/** Seconds that the issuer's clock may differ from ours. */
const CLOCK_TOLERANCE = 30;
const MAX_SUBJECT = 255;

/** An issuer of identity tokens, and the name under which it knows this service. */
export type TrustedIssuer = { issuer: string; audience: string };

/** Verifies OpenID Connect ID tokens and JWT access tokens, each by the keys of the issuer that it names. */
export function createIdentityVerifier(trusted: readonly TrustedIssuer[]): IdentityVerifier {
  const verifiers = new Map(trusted.map((one) => [one.issuer, createVerifier(one)]));
  return async (token) => {
    if (token.length > limits.identityTokenLength) throw invalid("it is too long");
    const verifier = verifiers.get(claimedIssuer(token) ?? "");
    if (verifier === undefined) throw invalid("its claim iss is not accepted here");
    return await verifier(token);
  };
}

/** Whose token it says to be: enough to choose the keys by, and for nothing else. */
function claimedIssuer(token: string): string | undefined {
  try {
    return decodeJwt(token).iss;
  } catch {
    throw invalid("it is not a signed JWT of the issuer");
  }
}

function createVerifier({ issuer, audience }: TrustedIssuer): IdentityVerifier {
  const keys = discoverKeys(issuer);
  return async (token) => {
    const getKey = availableKeys(await keys());
    const { payload, protectedHeader } = await jwtVerify(token, getKey, {
      issuer,
      audience,
      algorithms,
      clockTolerance: CLOCK_TOLERANCE,
      requiredClaims: ["exp", "sub"],
    }).catch((error: unknown) => {
      throw error instanceof errors.JOSEError ? invalid(inWords(error)) : error;
    });
    checkClaims(payload, audience, protectedHeader.typ);
    return { issuer, subject: payload.sub ?? "" };
  };
}

/** Tells a key that does not exist (the token is bad) from keys that cannot be read (nobody knows). */
function availableKeys(keys: JWTVerifyGetKey): JWTVerifyGetKey {
  return async (header, token) => {
    try {
      return await keys(header, token);
    } catch (error) {
      const aboutToken =
        error instanceof errors.JWKSNoMatchingKey ||
        error instanceof errors.JWKSMultipleMatchingKeys ||
        error instanceof errors.JOSENotSupported;
      throw aboutToken ? error : providerUnavailable();
    }
  };
}

function checkClaims({ sub, iat, aud, azp }: JWTPayload, audience: string, type: string | undefined): void {
  if (typeof sub !== "string" || sub === "" || sub.length > MAX_SUBJECT) throw invalid("it names no user");
  if (sub.includes("\0") || !sub.isWellFormed()) throw invalid("its user name is no valid text");
  if (iat !== undefined && iat > Date.now() / 1000 + CLOCK_TOLERANCE) throw invalid("it is from the future");
  // Of an ID token for several parties, `azp` names the one that it was issued to (OpenID Connect Core, 3.1.3.7).
  // In an access token `azp` is the client that asked for it, and says nothing about us.
  const shared = Array.isArray(aud) && aud.length > 1 && !/^(application\/)?at\+jwt$/i.test(type ?? "");
  if (shared && azp !== undefined && azp !== audience) throw invalid("it was issued to another party");
}

function inWords(error: InstanceType<typeof errors.JOSEError>): string {
  if (error instanceof errors.JWTExpired) return "it has expired";
  if (error instanceof errors.JWTClaimValidationFailed)
    return `its claim ${error.claim} is not accepted here`;
  if (error instanceof errors.JWSSignatureVerificationFailed) return "its signature is wrong";
  if (error instanceof errors.JOSEAlgNotAllowed) return "its signature algorithm is not accepted";
  if (error instanceof errors.JWKSNoMatchingKey) return "the issuer has no such key";
  return "it is not a signed JWT of the issuer";
}

export function invalid(problem: string): ApiError {
  return new ApiError("IDENTITY_TOKEN_INVALID", `The identity token is not accepted: ${problem}.`);
}
