import type { Session } from "./session.ts";
import { SignInProblem } from "./sign-in-problem.ts";

/** Who people sign in with, as the console's settings name it. */
export type Identity = { issuer: string; clientId: string; audience: string; scope: string };

/** Tokens of a sign-in, and the claims of its ID token. */
export type Tokens = {
  id_token?: string | undefined;
  access_token: string;
  /** Seconds for which the access token is good. */
  expires_in?: number | undefined;
  profile: Record<string, unknown>;
};

/** Claims that may name a person, the best first. */
const names = ["name", "preferred_username", "nickname", "email", "sub"];
const longestName = 200;
/** Milliseconds for which a token is used that does not say when it ends. */
const UNSAID = 3_600_000;

/**
 * The session of a sign-in. The service is sent the ID token where that is made for it, and else the access token.
 * @param now milliseconds since 1970
 * @throws SignInProblem BAD_ANSWER where the tokens are another provider's, or for somebody else
 */
export function sessionOf({ issuer, clientId, audience }: Identity, tokens: Tokens, now: number): Session {
  const { id_token: idToken = "", access_token: accessToken, expires_in: lifetime, profile } = tokens;
  const audiences: unknown[] = [profile["aud"]].flat();
  const { sub, iss, exp, iat } = profile;
  if (iss !== issuer || !audiences.includes(clientId) || typeof sub !== "string") {
    throw new SignInProblem("BAD_ANSWER");
  }
  const isForService = audience === clientId;
  const token = isForService ? idToken : accessToken;
  if (token === "") throw new SignInProblem("BAD_ANSWER");
  // A difference, so that the clocks of provider and browser may differ.
  const ofIdToken = Number(exp) - Number(iat);
  const seconds = isForService ? ofIdToken : Number(lifetime);
  const milliseconds = seconds > 0 ? seconds * 1000 : UNSAID;
  const name = names
    .map((claim) => profile[claim])
    .find((value) => typeof value === "string" && value.trim() !== "");
  return {
    token,
    idToken,
    issuer,
    subject: sub,
    name: String(name ?? sub).slice(0, longestName),
    endsAt: now + milliseconds,
  };
}
