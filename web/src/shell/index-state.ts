import type { ServiceStatus } from "asset-registry-client";
import { readableWords } from "../parts/foreign-text.ts";
import { texts } from "../texts/texts.ts";

/** How many blocks the index may lag before a visitor is told. */
const mostLag = 5;

/** Words for an index that is not up to date; undefined where it is. */
export function indexProblem(status: ServiceStatus): string | undefined {
  if (status.haltedReason !== null) return texts.shell.halted(readableWords(status.haltedReason));
  if (status.indexedBlock === null) return texts.shell.noIndex;
  if (!status.indexerRunning) return texts.shell.notRunning(status.indexedBlock);
  const { lag, remainingSeconds } = status;
  if (lag !== null && lag > mostLag) return texts.shell.behind(status.indexedBlock, lag, remainingSeconds);
  const [longest] = status.waitingFor;
  return longest && texts.shell.waiting(readableWords(longest.problem));
}
