import { readSession, type Session } from "./session.ts";

/** Nobody, somebody, or somebody whose token the service takes no more. */
export type SignedIn = { status: "out" } | { status: "in" | "ended"; session: Session };

/** What keeps the session while pages are changed, such as the storage of the tab. */
type Keeper = {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
};

const KEY = "asset-registry-session";
/** Longest time that a timer can be set to, in milliseconds. */
const LONGEST = 2 ** 31 - 1;
const nobody: SignedIn = { status: "out" };

/** Holds the session of a tab, tells who listens of its changes, and ends it in time. */
export function createSessionStore(keeper: Keeper, now: () => number = Date.now) {
  const listeners = new Set<() => void>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let state = stateOf(readSession(attempt(() => keeper.getItem(KEY)) ?? null));
  watch();

  function stateOf(session: Session | undefined): SignedIn {
    if (session === undefined) return nobody;
    return { status: session.endsAt > now() ? "in" : "ended", session };
  }

  function become(next: SignedIn): void {
    state = next;
    watch();
    for (const listener of listeners) listener();
  }

  function watch(): void {
    clearTimeout(timer);
    if (state.status !== "in") return;
    const { session } = state;
    timer = setTimeout(() => become(stateOf(session)), Math.min(session.endsAt - now(), LONGEST));
  }

  return {
    get: (): SignedIn => state,
    /** @returns what ends the subscription */
    subscribe(listener: () => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    begin(session: Session): void {
      attempt(() => keeper.setItem(KEY, JSON.stringify(session)));
      become(stateOf(session));
    },
    /** The service takes this token no more; who it was stays known, so that they can sign in again. */
    end(token: string): void {
      if (state.status !== "in" || state.session.token !== token) return;
      const session = { ...state.session, endsAt: 0 };
      attempt(() => keeper.setItem(KEY, JSON.stringify(session)));
      become({ status: "ended", session });
    },
    forget(): void {
      attempt(() => keeper.removeItem(KEY));
      become(nobody);
    },
  };
}

/** Storage may be forbidden, or full. */
function attempt<Result>(work: () => Result): Result | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
