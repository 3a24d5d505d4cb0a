/** What operators want to know of a provider. */
export type ProviderHealth = {
  /** Host of its URL. */
  name: string;
  inUse: boolean;
  /** Whether it answered when it was asked last; undefined before. */
  up: boolean | undefined;
  /** Since when it is up, or is not. */
  since: Date | undefined;
  /** Why it is not up. */
  problem: string | undefined;
  head: number | undefined;
  /** Calls since the start that were answered, and that were not. */
  answered: number;
  failed: number;
};
