/** What providers may lack, and something else is asked instead. */
export type Ability = "logs by block hash" | "state by block hash" | "receipts of a block";

/** A provider is updated now and then: after so long it is asked again. */
const rememberMs = 600_000;

export type Abilities = ReturnType<typeof createAbilities>;

/** What one provider has been seen to lack, so that it is not asked for it each time. */
export function createAbilities(now: () => number = Date.now) {
  const missing = new Map<Ability, number>();
  return {
    lacks: (ability: Ability): boolean => now() < (missing.get(ability) ?? 0),
    noteMissing: (ability: Ability): void => void missing.set(ability, now() + rememberMs),
  };
}
