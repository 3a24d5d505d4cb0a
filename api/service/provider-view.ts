import type { ProviderRow } from "../../db/service/providers.ts";
import { isoTime } from "../operation/time.ts";

/** Health of each node of RPC_URL, with its lag behind the newest reported block. */
export function viewProviders(providers: readonly ProviderRow[]) {
  const newest = Math.max(...providers.map(({ headBlock }) => headBlock ?? 0));
  return providers.map(({ up, since, problem, headBlock, ...rest }) => ({
    ...rest,
    up: up ?? null,
    since: since === undefined ? null : isoTime(since),
    problem: problem ?? null,
    headBlock: headBlock ?? null,
    behind: headBlock === undefined ? null : newest - headBlock,
  }));
}
