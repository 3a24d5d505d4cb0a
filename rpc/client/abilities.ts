/** Features that a provider may be missing, with a fallback or another provider in its place. */
export type Ability =
  | "logs by block hash"
  | "state by block hash"
  | "receipts of a block"
  | "state proofs"
  | "raw headers";

/** Milliseconds after which a missing feature is tried again. */
const rememberMs = 600_000;

export type Abilities = ReturnType<typeof createAbilities>;

/** Remembers missing features of one provider. */
export function createAbilities(now: () => number = Date.now) {
  const missing = new Map<Ability, number>();
  return {
    isMissing: (ability: Ability): boolean => now() < (missing.get(ability) ?? 0),
    recordMissing: (ability: Ability): void => void missing.set(ability, now() + rememberMs),
  };
}
