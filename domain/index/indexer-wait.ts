import { isoTime } from "../iso-time.ts";

type Wait = { work: string; problem: string; provider: string | undefined; since: Date };

/** A task of the indexer that is failing: since when, why, and because of which provider. */
export function waitInWords({ work, problem, provider, since }: Wait): string {
  const where = provider === undefined ? "" : ` (${provider})`;
  return `Since ${isoTime(since)} ${work} waits${where}: ${problem}`;
}
