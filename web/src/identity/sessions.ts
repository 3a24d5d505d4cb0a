import { useSyncExternalStore } from "react";
import { queries } from "../service/queries.ts";
import { createSessionStore, type SignedIn } from "./session-store.ts";
import { tabStorage } from "./tab-storage.ts";

/** The session of this tab: another tab has its own. */
export const sessions = createSessionStore(tabStorage);

/** Key of every answer that is the user's alone. */
export const MINE = "mine";

export const useSignedIn = (): SignedIn => useSyncExternalStore(sessions.subscribe, sessions.get);

// Whoever signs out means every tab of the browser.
const otherTabs = new BroadcastChannel("asset-registry-sign-out");
otherTabs.addEventListener("message", forget);

/** Forgets who is signed in, in every tab, and what was shown to them. */
export function forgetEverywhere(): void {
  otherTabs.postMessage("signed out");
  forget();
}

function forget(): void {
  sessions.forget();
  queries.removeQueries({ queryKey: [MINE] });
}
