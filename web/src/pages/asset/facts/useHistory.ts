import { useQuery } from "@tanstack/react-query";
import type { PublicAsset } from "asset-registry-client";
import { useApiKey, useKeyedRegistry } from "../../../service/use-api-key.ts";
import { publicHistory, type StateEntry } from "./public-history.ts";

/** The states of an asset: all of them for its integrator, whose key this tab holds, else those that the chain tells. */
export function useHistory(asset: PublicAsset): StateEntry[] {
  const key = useApiKey();
  const registry = useKeyedRegistry();
  const { data } = useQuery({
    queryKey: ["asset status", asset.id, key],
    queryFn: ({ signal }) => registry?.assetStatus(asset.id, { signal }) ?? null,
    enabled: registry !== undefined,
    gcTime: 0,
  });
  return data == null || data.history.length === 0 ? publicHistory(asset) : data.history;
}
