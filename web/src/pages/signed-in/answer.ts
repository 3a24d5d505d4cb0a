import type { SignInEnd } from "../../identity/provider.ts";
import type { Identity } from "../../identity/session-of.ts";
import { readSignInProblem } from "../../identity/sign-in-problem.ts";

const ends = new Map<string, Promise<SignInEnd>>();

/** How the sign-in of this answer ended; a page that is shown anew does not take it to the provider twice. */
export function endOfSignIn(identity: Identity, url: string): Promise<SignInEnd> {
  const begun = ends.get(url) ?? complete(identity, url);
  ends.set(url, begun);
  return begun;
}

async function complete(identity: Identity, url: string): Promise<SignInEnd> {
  try {
    const { completeSignIn } = await import("../../identity/provider.ts");
    return await completeSignIn(identity, location.origin, url);
  } catch (error) {
    return { returnTo: "/inbox", problem: readSignInProblem(error) };
  }
}
