import { queryOptions, useQuery } from "@tanstack/react-query";
import { registry } from "../../service/client.ts";
import { type AssetView, isNotFound, viewOf } from "./asset-view.ts";

/** Milliseconds between two looks at what a block may change. */
const AGAIN = 3_000;

export const assetQuery = (id: string) =>
  queryOptions({
    queryKey: ["public asset", id],
    queryFn: ({ signal }) => registry.publicAsset(id, { signal }),
  });

/** An asset, looked at again until its block is final, and as long as it is not there. */
export function useAsset(id: string): AssetView {
  const { data, error } = useQuery({
    ...assetQuery(id),
    refetchInterval: ({ state }) => (state.data?.final && state.error === null ? false : AGAIN),
    refetchOnWindowFocus: true,
    retry: false,
    throwOnError: false,
    refetchOnMount: (query) => !isNotFound(query.state.error) || "always",
  });
  return viewOf(data, error);
}
