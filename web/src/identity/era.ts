type Keeper = Pick<Storage, "getItem" | "setItem">;

const KEY = "asset-registry-sign-out";

/**
 * Tells tabs that were not there when somebody signed out in another one: each sign-out begins a new era, and a session
 * belongs to the one that it began in. Where the browser forbids to store anything there is one era.
 * @param shared what all tabs keep @param own what this tab keeps beside its session
 */
export function createEra(shared: Keeper, own: Keeper) {
  const read = (keeper: Keeper) => attempt(() => keeper.getItem(KEY)) ?? "";
  return {
    /** Ends the sessions of all tabs. */
    end: (name: string): void => void attempt(() => shared.setItem(KEY, name)),
    /** The session of this tab begins. */
    join: (): void => void attempt(() => own.setItem(KEY, read(shared))),
    /** Whether somebody signed out since the session of this tab began. */
    isOver: (): boolean => read(shared) !== read(own),
  };
}

function attempt<Result>(work: () => Result): Result | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
