import { createClient, type RegistryClient } from "asset-registry-client";

/** The API without a credential: public reads, and transactions whose id is known. */
export const registry: RegistryClient = createClient({ url: location.origin, retries: 2 });
