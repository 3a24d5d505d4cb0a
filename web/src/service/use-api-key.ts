import { createClient, type RegistryClient } from "asset-registry-client";
import { useMemo, useSyncExternalStore } from "react";
import { apiKey } from "./api-key.ts";

// A page that is left may be kept whole, and shown again to whoever goes back to it.
addEventListener("pagehide", () => apiKey.set(undefined));

/** The API key that was given in this tab. */
export const useApiKey = (): string | undefined => useSyncExternalStore(apiKey.subscribe, apiKey.get);

/** The API as the holder of the key that was given in this tab; undefined where none was. */
export function useKeyedRegistry(): RegistryClient | undefined {
  const key = useApiKey();
  return useMemo(
    () => (key === undefined ? undefined : createClient({ url: location.origin, apiKey: key, retries: 2 })),
    [key],
  );
}
