import type { JWTHeaderParameters, JWTPayload } from "jose";

/** Kind of a token; `foreign` is not a sign-in. */
export type TokenKind = { kind: "id" | "access" } | { kind: "foreign"; problem: string };

/** Explicit types of a sign-in (RFC 8725, 3.11; RFC 9068); any other is of a token for another purpose. */
const headerTypes = ["jwt", "at+jwt"];
/** Keycloak names a token's purpose in the claim `typ`, Cognito in `token_use`. */
const accessUses = ["bearer", "dpop", "access", "at+jwt"];
const idUses = ["id"];
/** Claims of access tokens and of no ID token. */
const accessClaims = ["scope", "scp"];
/** Claims about the sign-in itself, so of ID tokens. */
const idClaims = ["nonce", "auth_time", "acr", "amr"];
/** Claims of access tokens (RFC 9068, Okta, Entra, Auth0), and of few ID tokens. */
const likelyAccessClaims = ["client_id", "cid", "appid", "gty", "permissions", "jti"];

/**
 * Distinguishes ID tokens, access tokens and other JWTs that an issuer signs with the same keys: logout tokens, security
 * events, proofs, refresh tokens. Few providers set the type of RFC 9068, so the claims decide where it is missing; an
 * unmarked token counts as an ID token, which is the stricter.
 */
export function kindOf(header: JWTHeaderParameters, claims: JWTPayload): TokenKind {
  const type = headerType(header.typ);
  if (!headerTypes.includes(type)) return foreign("its type in the header is not that of a sign-in");
  // Logout tokens and other security events carry it, whatever their type (RFC 8417, 2.2).
  if (claims["events"] !== undefined) return foreign("it reports an event, such as a logout");
  // Bound to a key, for which this service takes no proof (RFC 9449, RFC 8705).
  if (claims["cnf"] !== undefined) {
    return foreign("it is bound to a key (cnf), and this service takes plain bearer tokens only");
  }
  const uses = [claims["typ"], claims["token_use"]].filter((use) => use !== undefined).map(lowerCase);
  if (uses.some((use) => ![...accessUses, ...idUses, "jwt"].includes(use))) {
    return foreign("its claim typ or token_use is not that of an ID or access token");
  }
  const has = (names: readonly string[]) => names.some((name) => claims[name] !== undefined);
  if (type === "at+jwt" || uses.some((use) => accessUses.includes(use))) return { kind: "access" };
  if (uses.some((use) => idUses.includes(use)) || has(["at_hash", "c_hash"])) return { kind: "id" };
  if (has(accessClaims)) return { kind: "access" };
  return { kind: !has(idClaims) && has(likelyAccessClaims) ? "access" : "id" };
}

const foreign = (problem: string): TokenKind => ({ kind: "foreign", problem });

/** A media type without `application/`, in lower case; `jwt` where there is none. */
function headerType(type: unknown): string {
  return type === undefined ? "jwt" : lowerCase(type).replace(/^application\//, "");
}

/** Lower-case text; empty for other values and for long texts. */
function lowerCase(text: unknown): string {
  return typeof text === "string" && text.length <= 64 ? text.toLowerCase() : "";
}
