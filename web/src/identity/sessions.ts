import { useSyncExternalStore } from "react";
import { queries } from "../service/queries.ts";
import { createEra } from "./era.ts";
import type { Session } from "./session.ts";
import { createSessionStore, type SignedIn } from "./session-store.ts";
import { sharedStorage, tabStorage } from "./tab-storage.ts";

const store = createSessionStore(tabStorage);
const era = createEra(sharedStorage, tabStorage);

/** The session of this tab: another tab has its own. */
export const sessions = {
  ...store,
  begin(session: Session): void {
    era.join();
    store.begin(session);
  },
};

/** Key of every answer that is the user's alone. */
export const MINE = "mine";

export const useSignedIn = (): SignedIn => useSyncExternalStore(sessions.subscribe, sessions.get);

// Whoever signs out means every tab of the browser.
const otherTabs = new BroadcastChannel("asset-registry-sign-out");
otherTabs.addEventListener("message", forget);

// A tab may have been elsewhere meanwhile; a browser may show its page again as it was left.
forgetIfOver();
addEventListener("pageshow", forgetIfOver);

function forgetIfOver(): void {
  if (store.get().status !== "out" && era.isOver()) forget();
}

/** Forgets who is signed in, in every tab, and what was shown to them. */
export function forgetEverywhere(): void {
  era.end(crypto.randomUUID());
  otherTabs.postMessage("signed out");
  forget();
}

function forget(): void {
  sessions.forget();
  queries.removeQueries({ queryKey: [MINE] });
}
