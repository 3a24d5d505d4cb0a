import { queryOptions, useQueries, useQuery } from "@tanstack/react-query";
import { registry } from "../../../service/client.ts";
import { assetQuery } from "../useAsset.ts";
import { type Names, namesAround } from "./neighbours.ts";

export const namesQuery = (id: string) =>
  queryOptions({
    queryKey: ["names around", id],
    queryFn: ({ signal }) => namesAround(registry, id, signal),
    staleTime: 60_000,
  });

/** Most names that are asked for one by one: those of assets that no link leads to any more. */
const mostSingle = 20;

/** Names of the assets around an asset, as far as they are known, and of some others. */
export function useNames(id: string, others: readonly string[]): Names {
  const around = useQuery(namesQuery(id));
  const unnamed = around.isPending ? [] : others.filter((other) => !around.data?.has(other));
  const single = useQueries({
    queries: [...new Set(unnamed)].slice(0, mostSingle).map((other) => assetQuery(other)),
  });
  const names = new Map(around.data);
  for (const { data } of single) if (data !== undefined) names.set(data.id, data.name);
  return names;
}
