import { QueryClient } from "@tanstack/react-query";
import { RegistryError } from "asset-registry-client";

/** Milliseconds for which an answer is shown again without asking. */
const FRESH = 5_000;

/** Answers of the service, kept while a page shows them. The client tries again by itself where that may help. */
export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: FRESH,
      retry: false,
      // A refusal stays one; what was not reached may be there again.
      refetchOnReconnect: true,
      refetchOnWindowFocus: (query) => !(query.state.error instanceof RegistryError),
    },
    mutations: { retry: false },
  },
});
