import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Address, Hex } from "viem";
import {
  ConnectionError,
  createClient,
  type RegistryClient,
  RegistryError,
} from "../../client/src/client.ts";
import { type Config, publicUrl } from "../../config.ts";

/** Something that the person at the terminal can fix; the message says how. */
export class SessionError extends Error {
  override readonly name = "SessionError";
}

/** How the scripts reach a running service: as any user of the REST API does. */
export type Service = {
  url: string;
  /** Private keys that may sign, by address in lower case. */
  keys: ReadonlyMap<string, Hex>;
  client: RegistryClient;
  /** The registry and a node of its chain as this side knows them; undefined where only the service does. */
  registry: Address | undefined;
  rpcUrl: string | undefined;
};

type Ready = {
  url: string;
  registry?: Address;
  rpcUrl?: string;
  databaseUrl?: string;
  issuer?: string;
  apiKey?: string;
  accounts?: { address: string; privateKey: Hex }[];
};

/** Finds the service that `npm start` left word of, or the one that the environment names. */
export async function findService(config: Config): Promise<Service> {
  const ready = readReady(config.DATA_DIR);
  const url = config.PUBLIC_URL ?? ready?.url ?? publicUrl(config);
  const apiKey = config.API_KEY ?? ready?.apiKey;
  if (apiKey === undefined) {
    throw new SessionError(
      `No running service was found in ${config.DATA_DIR}: run \`npm start\` in another terminal first, ` +
        "or set PUBLIC_URL and API_KEY.",
    );
  }
  const keys = new Map(
    (ready?.accounts ?? []).map(({ address, privateKey }) => [address.toLowerCase(), privateKey]),
  );
  if (config.AUTHOR_KEY !== undefined) {
    const { privateKeyToAddress } = await import("viem/accounts");
    keys.set(privateKeyToAddress(config.AUTHOR_KEY).toLowerCase(), config.AUTHOR_KEY);
  }
  return {
    url,
    keys,
    client: createClient({ url, apiKey }),
    registry: config.REGISTRY_ADDRESS ?? ready?.registry,
    rpcUrl: [...(config.RPC_URL ?? []), ready?.rpcUrl ?? ""].find((one) => one.startsWith("http")),
  };
}

/** The connection data that `npm start` wrote for the other scripts; undefined where none is running. */
export function readReady(dataDir: string): Ready | undefined {
  try {
    return JSON.parse(readFileSync(join(dataDir, "ready.json"), "utf8")) as Ready;
  } catch {
    // Nothing runs here; the environment may name a service elsewhere.
    return undefined;
  }
}

/** Whether the service did not answer, or cannot for now: trying again later may help. */
export function isOutage(error: unknown): error is RegistryError | ConnectionError {
  if (error instanceof ConnectionError) return true;
  return error instanceof RegistryError && (error.status >= 500 || [408, 429].includes(error.status));
}

/** Whether a person can do something about it, by what `inWords` says. */
export const isExpected = (error: unknown): boolean =>
  [SessionError, ConnectionError, RegistryError].some((kind) => error instanceof kind);

/** An error message for a person at the terminal. */
export function inWords(error: unknown): string {
  if (error instanceof RegistryError) {
    const details = error.details
      .map(({ field, message }) => `${field} ${message}`)
      .filter((detail) => !error.message.includes(detail))
      .map((detail) => ` ${detail}.`)
      .join("");
    return `The service answered ${error.status} ${error.code}: ${error.message}${details}`;
  }
  if (error instanceof ConnectionError && error.status === undefined) {
    return `Nothing answers there: is the service running (\`npm start\`)? ${error.message}`;
  }
  return error instanceof Error ? error.message : String(error);
}
