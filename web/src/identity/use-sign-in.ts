import { useEffect, useState } from "react";
import { useLocation } from "react-router";
import { useSettings } from "../service/settings.ts";
import { readSignInProblem, SignInProblem } from "./sign-in-problem.ts";
import { canStore } from "./tab-storage.ts";

/** Leads the visitor to the provider, or says why not. */
export function useSignIn() {
  const { identity } = useSettings();
  const [isLeaving, setLeaving] = useState(false);
  const [problem, setProblem] = useState<SignInProblem>();
  const { key } = useLocation();

  // biome-ignore lint/correctness/useExhaustiveDependencies: another page is no place for the problem of the one before
  useEffect(() => setProblem(undefined), [key]);

  // A page that is come back to is shown as it was left.
  useEffect(() => {
    const comeBack = () => setLeaving(false);
    window.addEventListener("pageshow", comeBack);
    return () => window.removeEventListener("pageshow", comeBack);
  }, []);

  async function signIn(returnTo: string): Promise<void> {
    if (identity === null || isLeaving) return;
    setProblem(undefined);
    setLeaving(true);
    try {
      if (globalThis.crypto.subtle === undefined) throw new SignInProblem("INSECURE");
      if (!canStore()) throw new SignInProblem("NO_STORAGE");
      const { signInUrl } = await import("./provider.ts");
      location.assign(await signInUrl(identity, location.origin, returnTo));
    } catch (error) {
      setProblem(readSignInProblem(error));
      setLeaving(false);
    }
  }
  return { signIn, isLeaving, problem };
}
