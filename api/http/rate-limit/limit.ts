import type { Share } from "./share.ts";

/** At most `most` uses in a window of `windowSeconds`, which begins with a caller's first use. */
export type Rule = { name: string; most: number; windowSeconds: number };

/** A caller's use of its window; `seconds` until that ends. */
export type Standing = { allowed: boolean; left: number; seconds: number };

export type Limit = {
  rule: Rule;
  /** The rule as in the header `RateLimit-Policy`. */
  policy: string;
  /** Counts a use, where the limit allows it. */
  use(caller: string): Promise<Standing>;
  /** The caller's use, as far as this process knows. */
  look(caller: string): Standing;
};

/** Most callers in memory, against floods from ever new addresses. */
const MOST_CALLERS = 50_000;

type Window = {
  /** Uses of all processes, as the database said last. */
  shared: number;
  /** Uses of this process that the database has not confirmed. */
  own: number;
  endsAt: number;
  sharing: Promise<void> | undefined;
};

/**
 * Counts in this process, and updates the database after each twentieth of the limit, so that most requests cost nothing.
 * One that finds two twentieths unshared waits. So all processes together allow the limit and at most a tenth of it more
 * for each of them (or two uses, of a limit below twenty).
 */
export function createLimit(rule: Rule, share: Share): Limit {
  const windows = new Map<string, Window>();
  const step = Math.max(1, Math.floor(rule.most / 20));

  function windowOf(caller: string): Window {
    const known = windows.get(caller);
    if (known !== undefined && known.endsAt > performance.now()) return known;
    windows.delete(caller);
    const [oldest] = windows.size < MOST_CALLERS ? [] : windows.keys();
    if (oldest !== undefined) windows.delete(oldest);
    const begun = { shared: 0, own: 0, endsAt: performance.now() + rule.windowSeconds * 1000 };
    const window: Window = { ...begun, sharing: undefined };
    windows.set(caller, window);
    return window;
  }

  async function tell(caller: string, window: Window): Promise<void> {
    const uses = window.own;
    const { windowSeconds } = rule;
    const answer = await share({ subject: `${rule.name} ${caller}`, uses, windowSeconds });
    window.sharing = undefined;
    // The database is unreachable: this process counts for itself.
    if (answer === undefined) return;
    window.own -= uses;
    window.shared = answer.used;
    window.endsAt = performance.now() + answer.endsInMs;
  }

  function standing({ shared, own, endsAt }: Window): Standing {
    const left = Math.max(0, rule.most - shared - own);
    return { allowed: left > 0, left, seconds: Math.ceil((endsAt - performance.now()) / 1000) };
  }

  return {
    rule,
    policy: `"${rule.name}";q=${rule.most};w=${rule.windowSeconds}`,
    look: (caller) => standing(windowOf(caller)),
    async use(caller) {
      let window = windowOf(caller);
      while (window.own >= 2 * step && window.sharing !== undefined) {
        await window.sharing;
        window = windowOf(caller);
      }
      const found = standing(window);
      if (!found.allowed) return found;
      window.own += 1;
      if (window.own >= step) window.sharing ??= tell(caller, window);
      return { ...found, left: found.left - 1 };
    },
  };
}
