import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Hex } from "viem";
import { type Config, publicUrl } from "../../config.ts";
import type { Envelope } from "../../domain/envelope.ts";

/** Something that the person at the terminal can mend; the message says how. */
export class SessionError extends Error {
  override readonly name = "SessionError";
}

/** The service did not answer, or cannot for now: trying again may help. */
export class OutageError extends SessionError {}

/** The service refused a call. */
export class RefusedError extends SessionError {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** How the scripts reach a running service: as any user of the REST API does. */
export type Service = {
  url: string;
  /** Private keys that may sign, by address in lower case. */
  keys: ReadonlyMap<string, Hex>;
  call: <Value>(method: "GET" | "POST" | "PATCH", path: string, body?: object) => Promise<Value>;
  /** Reads one page of a list; `next` is the cursor of the one behind it. */
  page: <Value>(path: string) => Promise<{ value: Value[]; next: string | undefined }>;
};

/** Milliseconds until a call counts as unanswered. */
const TIMEOUT = 30_000;

type Ready = {
  url: string;
  databaseUrl?: string;
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
    call: async (method, path, body) => (await call<never>(url, apiKey, method, path, body)).value as never,
    page: async <Value>(path: string) => {
      const { value, meta } = await call<Value[]>(url, apiKey, "GET", path);
      return { value: value ?? [], next: meta?.next };
    },
  };
}

/** What `npm start` left for the other scripts; undefined where none is running. */
export function readReady(dataDir: string): Ready | undefined {
  try {
    return JSON.parse(readFileSync(join(dataDir, "ready.json"), "utf8")) as Ready;
  } catch {
    // Nothing runs here; the environment may name a service elsewhere.
    return undefined;
  }
}

async function call<Value>(
  url: string,
  apiKey: string,
  method: string,
  path: string,
  body?: object,
): Promise<Envelope<Value>> {
  const init: RequestInit = {
    method,
    headers: { "x-api-key": apiKey },
    signal: AbortSignal.timeout(TIMEOUT),
  };
  if (body !== undefined) {
    init.headers = { ...init.headers, "content-type": "application/json" };
    init.body = JSON.stringify(body);
  }
  const response = await fetch(`${url}${path}`, init).catch(() => {
    throw new OutageError(`Nothing answers at ${url}: run \`npm start\` in another terminal first.`);
  });
  const envelope = (await response.json().catch(() => undefined)) as Envelope<Value> | undefined;
  if (envelope === undefined || typeof envelope !== "object" || envelope === null) {
    throw new OutageError(`${url} answers no JSON, so it is not the service, or not all of it.`);
  }
  const { error } = envelope;
  if (response.ok && error === undefined) return envelope;
  const details = (error?.details ?? []).map(({ field, message }) => ` ${field} ${message}.`).join("");
  const message = `${method} ${path} was answered ${response.status} ${error?.code ?? ""}: ${error?.message ?? ""}${details}`;
  // 408 and 429: it had no time for this call.
  if (response.status >= 500 || [408, 429].includes(response.status)) throw new OutageError(message);
  throw new RefusedError(error?.code ?? "", message);
}
