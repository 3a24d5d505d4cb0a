import type { Identity } from "./session-of.ts";
import { forgetEverywhere, sessions } from "./sessions.ts";

/**
 * Forgets who is signed in, and leads to the provider to sign out there too.
 * @returns false where the provider has no such page, or does not answer
 */
export async function signOut(identity: Identity): Promise<boolean> {
  const signedIn = sessions.get();
  forgetEverywhere();
  if (signedIn.status === "out") return false;
  try {
    const { signOutUrl } = await import("./provider.ts");
    const url = await signOutUrl(identity, location.origin, signedIn.session.idToken);
    if (url === undefined) return false;
    location.assign(url);
    return true;
  } catch {
    return false;
  }
}
