/** Something of a tenant that is looked at again and again. */
export type Waiting = { key: string; tenant: string };

/**
 * Chooses, each time, at most so many of those that wait: tenants take turns, and of each tenant those that have
 * not been chosen for longest come first. So nothing is left out for good, and no tenant's crowd holds up another's.
 */
export function createRotation(most: number) {
  /** In which round each was chosen last. */
  let chosenIn = new Map<string, number>();
  let round = 0;

  return (waiting: readonly Waiting[]): Set<string> => {
    const tenants = new Map(waiting.map(({ key, tenant }) => [key, tenant]));
    round += 1;
    chosenIn = new Map([...chosenIn].filter(([key]) => tenants.has(key)));
    const turns = new Map<string, number>();
    const chosen = [...tenants]
      .sort(([one], [other]) => (chosenIn.get(one) ?? 0) - (chosenIn.get(other) ?? 0))
      .map(([key, tenant]) => {
        const turn = (turns.get(tenant) ?? 0) + 1;
        turns.set(tenant, turn);
        return { key, turn };
      })
      .sort((one, other) => one.turn - other.turn)
      .slice(0, most)
      .map(({ key }) => key);
    for (const key of chosen) chosenIn.set(key, round);
    return new Set(chosen);
  };
}
