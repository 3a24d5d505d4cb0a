import { createClient, type RegistryClient } from "asset-registry-client";
import type { Settings } from "../config/settings.ts";
import type { Io } from "../io.ts";
import { misuse } from "../problem.ts";

/** How often a call is tried again: somebody waits for it. */
const retries = 2;

/** A client of the configured service. @throws Problem where none is configured */
export function connectService(settings: Settings, io: Io): { client: RegistryClient; url: string } {
  const { url, apiKey, token } = settings;
  if (url === undefined) {
    const how = "--service, ASSET_REGISTRY_URL or url in the configuration file";
    throw misuse("service-missing", `No service is named: give its URL by ${how}.`);
  }
  return { client: createClient({ url, apiKey, token, retries, fetch: io.fetch }), url };
}

/** @throws Problem where no API key is configured */
export function requireApiKey({ apiKey }: Settings): void {
  if (apiKey !== undefined) return;
  const how = "ASSET_REGISTRY_API_KEY, --api-key-file or apiKey in the configuration file";
  throw misuse("api-key-missing", `This needs an API key of the service: give it by ${how}.`);
}
