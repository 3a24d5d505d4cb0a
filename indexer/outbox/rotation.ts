/** An item of a tenant that is polled. */
export type Waiting = { key: string; tenant: string };

/**
 * Chooses a bounded number of items in each round: round-robin over tenants, and least recently chosen first within one,
 * so that every item gets its turn and no tenant delays another.
 */
export function createRotation(most: number) {
  /** The round in which each was chosen last. */
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
