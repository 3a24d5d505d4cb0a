type Locks = Pick<LockManager, "request">;

/**
 * Runs one piece of work under a name at a time, in all tabs of the browser.
 * @returns undefined where another one runs
 */
export async function oneAtATime<Result>(
  name: string,
  work: () => Promise<Result>,
  locks: Locks | undefined = navigator.locks,
): Promise<{ result: Result } | undefined> {
  // Pages by plain http have no locks.
  if (locks === undefined) return { result: await work() };
  return await locks.request(`asset-registry:${name}`, { ifAvailable: true }, async (lock) =>
    lock === null ? undefined : { result: await work() },
  );
}
