import {
  decodeJwt,
  errors,
  type JWTHeaderParameters,
  type JWTPayload,
  type JWTVerifyGetKey,
  type JWTVerifyResult,
  jwtVerify,
} from "jose";
import type { User } from "../../db/service/wallets.ts";
import { ApiError } from "../../domain/errors.ts";
import { limits } from "../../domain/limits.ts";
import { invalid } from "./errors.ts";
import { discoverKeys } from "./oidc-discovery.ts";
import { kindOf } from "./token-kind.ts";
import { userOf } from "./token-user.ts";

/** @throws ApiError IDENTITY_TOKEN_INVALID, or IDENTITY_PROVIDER_UNAVAILABLE where it cannot be verified */
export type IdentityVerifier = (token: string) => Promise<User>;

/** Asymmetric algorithms: with a shared secret (HS256) every verifier could also sign. */
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
/** Clock tolerance in seconds. */
export const CLOCK_TOLERANCE = 30;
/** Most keys that are tried for a token without a key id. */
const MOST_TRIES = 10;

/** An issuer of identity tokens, with its audience and user claim for this service. */
export type TrustedIssuer = {
  issuer: string;
  audience: string;
  userClaim: string;
  /** Clients whose tokens are accepted; undefined: the audience alone decides. */
  authorizedParties: readonly string[] | undefined;
};

/** Verifies OpenID Connect ID tokens and JWT access tokens, each by the keys of the issuer that it names. */
export function createIdentityVerifier(trusted: readonly TrustedIssuer[]): IdentityVerifier {
  const verifiers = new Map(trusted.map((one) => [one.issuer, createVerifier(one)]));
  return async (token) => {
    if (token.length > limits.identityTokenLength) throw invalid("it is too long");
    const issuer = claimedIssuer(token) ?? "";
    const verifier = verifiers.get(issuer);
    if (verifier !== undefined) return await verifier(token);
    const almost = verifiers.has(issuer.endsWith("/") ? issuer.slice(0, -1) : `${issuer}/`);
    throw invalid(
      almost
        ? "its claim iss and OIDC_ISSUER differ in the slash at their end, and must be the same to the letter"
        : "its claim iss is not accepted here",
    );
  };
}

/** The unverified issuer of a token, only to choose the keys. */
function claimedIssuer(token: string): string | undefined {
  try {
    const { iss } = decodeJwt(token);
    return typeof iss === "string" ? iss : undefined;
  } catch {
    throw invalid("it is not a signed JWT of the issuer");
  }
}

function createVerifier(trusted: TrustedIssuer): IdentityVerifier {
  const { issuer, userClaim } = trusted;
  const keys = discoverKeys(issuer);
  return async (token) => {
    const { payload, protectedHeader } = await verify(token, await keys(), issuer).catch((error: unknown) => {
      throw error instanceof ApiError ? error : invalid(inWords(error));
    });
    checkClaims(payload, protectedHeader, trusted);
    const user = userOf(payload, userClaim);
    if ("problem" in user) throw invalid(user.problem);
    return { issuer, subject: user.subject };
  };
}

/** Several keys may match a token without a key id, or with an ambiguous one. */
async function verify(token: string, keys: JWTVerifyGetKey, issuer: string): Promise<JWTVerifyResult> {
  const options = { issuer, algorithms, clockTolerance: CLOCK_TOLERANCE, requiredClaims: ["exp"] };
  try {
    return await jwtVerify(token, keys, options);
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
    let tries = 0;
    for await (const key of error) {
      try {
        return await jwtVerify(token, key, options);
      } catch (failure) {
        tries += 1;
        if (!(failure instanceof errors.JWSSignatureVerificationFailed) || tries >= MOST_TRIES) throw failure;
      }
    }
    throw new errors.JWSSignatureVerificationFailed();
  }
}

function checkClaims(claims: JWTPayload, header: JWTHeaderParameters, trusted: TrustedIssuer): void {
  const token = kindOf(header, claims);
  if (token.kind === "foreign") throw invalid(token.problem);
  const audiences = audiencesOf(claims);
  if (audiences.length === 0) throw invalid("its claim aud is missing");
  if (!audiences.includes(trusted.audience)) throw invalid("its claim aud is not accepted here");
  checkParty(claims, token.kind, audiences, trusted);
  const { iat } = claims;
  if (iat !== undefined && iat > Date.now() / 1000 + CLOCK_TOLERANCE) throw invalid("it is from the future");
}

/** Access tokens of Amazon Cognito have no `aud`, and their `client_id` is what `aud` is in its ID tokens. */
function audiencesOf({ aud, token_use, client_id }: JWTPayload): unknown[] {
  if (aud === undefined && token_use === "access" && client_id !== undefined) return [client_id];
  return Array.isArray(aud) ? aud : aud === undefined ? [] : [aud];
}

/**
 * Checks the client that a token was issued to. Of an access token it matters only where the operator names the clients.
 * An ID token is for its client alone, so for several audiences `azp` must be ours (OpenID Connect Core, 3.1.3.7).
 */
function checkParty(
  claims: JWTPayload,
  kind: "id" | "access",
  audiences: readonly unknown[],
  { audience, authorizedParties }: TrustedIssuer,
): void {
  const { azp, client_id, cid, appid } = claims;
  const named = azp ?? client_id ?? cid ?? appid;
  if (authorizedParties !== undefined) {
    const party = named ?? (kind === "id" && audiences.length === 1 ? audience : undefined);
    if (typeof party === "string" && authorizedParties.includes(party)) return;
    throw invalid("it was issued to a client that OIDC_AUTHORIZED_PARTIES does not name");
  }
  if (kind === "id" && audiences.length > 1 && azp !== undefined && azp !== audience) {
    throw invalid("it is an ID token that was issued to another party (azp): send an access token instead");
  }
}

function inWords(error: unknown): string {
  if (error instanceof errors.JWTExpired) return "it has expired";
  if (error instanceof errors.JWTClaimValidationFailed)
    return `its claim ${error.claim} is not accepted here`;
  if (error instanceof errors.JWSSignatureVerificationFailed) return "its signature is wrong";
  if (error instanceof errors.JOSEAlgNotAllowed) return "its signature algorithm is not accepted";
  if (error instanceof errors.JWKSNoMatchingKey) return "the issuer has no such key";
  return "it is not a signed JWT of the issuer";
}
