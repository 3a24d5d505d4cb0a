import type { JWTPayload } from "jose";

const MAX_LENGTH = 255;

/** Placeholders, under which all users would be one. */
const placeholders: readonly string[] = [
  "not supported currently. use oid claim.",
  "not supported",
  "not available",
  "null",
  "undefined",
  "none",
  "nil",
  "n/a",
  "nan",
  "unknown",
  "anonymous",
  "[object object]",
  "00000000-0000-0000-0000-000000000000",
];

/** Invisible characters, by which two names could look the same. */
const invisible = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

/**
 * The user, by the claim that the operator names.
 * @returns the problem of the claim, where it names no user
 */
export function userOf(claims: JWTPayload, claim: string): { subject: string } | { problem: string } {
  const name = Object.hasOwn(claims, claim) ? claims[claim] : undefined;
  const problem = nameProblem(name);
  if (problem !== undefined) return { problem: `its claim ${claim}, which names the user, ${problem}` };
  // Many providers let users write any address into their profile.
  if (claim === "email" && claims["email_verified"] !== true) {
    return { problem: "its user's email address is not verified (email_verified is not true)" };
  }
  return { subject: name as string };
}

function nameProblem(name: unknown): string | undefined {
  if (name === undefined) return "is missing";
  if (typeof name !== "string") return "is not a text";
  if (name.length > MAX_LENGTH) return `is longer than ${MAX_LENGTH} characters`;
  const plain = name.trim().toLowerCase();
  if (plain === "") return "is empty";
  if (invisible.test(name) || !name.isWellFormed()) return "has characters that no user name may have";
  if (!placeholders.includes(plain)) return undefined;
  return "holds a placeholder that is the same for everybody: the operator must set OIDC_USER_CLAIM to the claim that names the user, such as oid";
}
