import { queryOptions, useQuery } from "@tanstack/react-query";
import { registry } from "./client.ts";

/** How far the index is; asked again every few seconds while a page shows it. */
export const statusQuery = queryOptions({
  queryKey: ["status"],
  queryFn: ({ signal }) => registry.status({ signal }),
  refetchInterval: 10_000,
});

/** The newest block of the index, as far as this page knows: lists of the chain change with it. */
export const useIndexedBlock = (): number | undefined =>
  useQuery(statusQuery).data?.indexedBlock ?? undefined;
