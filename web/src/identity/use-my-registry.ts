import { createClient, type RegistryClient, RegistryError } from "asset-registry-client";
import { useMemo } from "react";
import type { Session } from "./session.ts";
import { sessions } from "./sessions.ts";

/** Calls the API as the user. A token that it takes no more ends the session. */
export type AsMe = <Result>(work: (registry: RegistryClient) => Promise<Result>) => Promise<Result>;

export function useMyRegistry({ token }: Session): AsMe {
  return useMemo(() => {
    const mine = createClient({ url: location.origin, token, retries: 2 });
    return async (work) => {
      try {
        return await work(mine);
      } catch (error) {
        if (error instanceof RegistryError && error.code === "IDENTITY_TOKEN_INVALID") sessions.end(token);
        throw error;
      }
    };
  }, [token]);
}
