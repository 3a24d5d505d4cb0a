import type { Transaction } from "asset-registry-client";
import type { AssetDetails } from "../../../../../domain/asset/asset.ts";
import type { Change, checkRequest } from "./check-request.ts";

type Hex = `0x${string}`;

/**
 * The change to show: of a request that can be signed the one of its bytes, of a closed one, which has none any more,
 * the service's own words. undefined where bytes and words contradict each other.
 */
export function shownChange(
  { kind, call }: Transaction,
  found: ReturnType<typeof checkRequest>,
): Change | undefined {
  if (found !== undefined) return "checked" in found ? found.checked.change : undefined;
  return kind === "create"
    ? { kind, ...(call.arguments as { salt: Hex; details: AssetDetails }) }
    : { kind, ...(call.arguments as { parent: Hex; children: Hex[] }) };
}
