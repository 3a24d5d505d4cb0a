import { queryOptions, useSuspenseQuery } from "@tanstack/react-query";

/** Settings of the service that the console needs, as `GET /console/settings.json` answers them. */
export type Settings = {
  name: string;
  version: string;
  /** Origin at which people reach the service. */
  publicUrl: string;
  chain: {
    id: number;
    name: string;
    nativeCurrency: { name: string; symbol: string; decimals: number };
    /** A node that wallets may use; null where the operator names none. */
    rpcUrl: string | null;
    /** A block explorer; null where the operator names none. */
    explorerUrl: string | null;
  };
  /** Address of the registry's contract. */
  registry: `0x${string}`;
  confirmations: number | "finalized";
  /** The provider by which people sign in; null where there is no sign-in here. */
  identity: { issuer: string; clientId: string; audience: string; scope: string } | null;
  limits: {
    text: Record<"name" | "data" | "fileName" | "fileType" | "fileSize" | "method" | "hash" | "uri", number>;
    note: number;
    targets: number;
  };
};

const settingsQuery = queryOptions({
  queryKey: ["settings"],
  staleTime: Number.POSITIVE_INFINITY,
  async queryFn({ signal }): Promise<Settings> {
    const response = await fetch("/console/settings.json", { signal });
    if (!response.ok) throw new Error(`The service answered ${response.status} for the console's settings.`);
    return (await response.json()) as Settings;
  },
});

/** The settings; the page waits for them. */
export const useSettings = (): Settings => useSuspenseQuery(settingsQuery).data;
