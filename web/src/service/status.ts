import { queryOptions } from "@tanstack/react-query";
import { registry } from "./client.ts";

/** How far the index is; asked again every few seconds while a page shows it. */
export const statusQuery = queryOptions({
  queryKey: ["status"],
  queryFn: ({ signal }) => registry.status({ signal }),
  refetchInterval: 10_000,
});
