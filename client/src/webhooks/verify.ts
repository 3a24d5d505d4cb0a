import { ArgumentError, WebhookError } from "../errors.ts";
import { checkEvent } from "../events/parse-event.ts";
import type { RegistryEvent } from "../types/event.ts";
import type { WebhookTest } from "../types/webhook.ts";

type HeaderSource =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

export type WebhookDelivery = {
  /** Of the request: a `Headers`, or an object such as that of Node.js. */
  headers: HeaderSource;
  /** The body as it came, byte by byte: parsed and written anew it is another text. */
  body: string | Uint8Array | ArrayBuffer;
  /** Those of the webhook, as `whsec_…`: while they are rotated the old one too. */
  secrets: string | readonly string[];
  /** Seconds between its time and now, either way (300). */
  toleranceSeconds?: number | undefined;
  /** Where the platform has none, as on Node.js 18: `webcrypto` of `node:crypto`. */
  crypto?: Pick<typeof globalThis.crypto, "subtle"> | undefined;
};

/** More than a sender has at once; each costs a computation. */
const mostSignatures = 10;

/**
 * Verifies by the Standard Webhooks specification that a delivery came from the service, unchanged and now. It may come
 * more than once: its event has the same id then.
 * @throws WebhookError for what must be refused, ArgumentError for a mistake of the caller
 */
export async function verifyWebhook(delivery: WebhookDelivery): Promise<RegistryEvent | WebhookTest> {
  const { headers, secrets, toleranceSeconds = 300, crypto = globalThis.crypto } = delivery;
  const keys = (Array.isArray(secrets) ? secrets : [secrets]).map(readSecret);
  const body = bytesOf(delivery.body);
  if (!(toleranceSeconds >= 0)) throw new ArgumentError("toleranceSeconds must be a number of seconds.");
  if (keys.length === 0) throw new ArgumentError("secrets must hold one secret at least.");
  if (typeof crypto?.subtle?.verify !== "function") {
    throw new ArgumentError("There is no WebCrypto here: give webcrypto of node:crypto as crypto.");
  }
  const id = headerOf(headers, "webhook-id");
  const timestamp = headerOf(headers, "webhook-timestamp");
  checkTime(timestamp, toleranceSeconds);
  const signatures = signaturesOf(headerOf(headers, "webhook-signature"));
  const signed = joined(new TextEncoder().encode(`${id}.${timestamp}.`), body);
  for (const secret of keys) {
    const algorithm = { name: "HMAC", hash: "SHA-256" };
    const key = await crypto.subtle.importKey("raw", secret, algorithm, false, ["verify"]);
    for (const signature of signatures) {
      // In constant time, as WebCrypto says.
      if (await crypto.subtle.verify("HMAC", key, signature, signed)) return readEvent(id, body);
    }
  }
  throw new WebhookError(
    "SIGNATURE_WRONG",
    "No signature of the delivery is by these secrets over this body: the secret is another webhook's, or the body is not the one that came.",
  );
}

function readSecret(secret: string): Uint8Array<ArrayBuffer> {
  const text = typeof secret === "string" ? secret.replace(/^whsec_/, "") : "";
  const key = fromBase64(text);
  if (key !== undefined && key.length > 0) return key;
  throw new ArgumentError(
    "secrets must be the webhook's secret, or a list of them: whsec_ and base64, as its creation answered it.",
  );
}

function bytesOf(body: unknown): Uint8Array<ArrayBuffer> {
  if (typeof body === "string") return new TextEncoder().encode(body);
  if (body instanceof ArrayBuffer) return new Uint8Array(body);
  if (ArrayBuffer.isView(body)) {
    return Uint8Array.from(new Uint8Array(body.buffer, body.byteOffset, body.byteLength));
  }
  throw new ArgumentError("body must be the text or the bytes that came, before any parser reads them.");
}

function headerOf(headers: HeaderSource, name: string): string {
  const value = typeof headers["get"] === "function" ? headers["get"](name) : ownHeader(headers, name);
  if (typeof value === "string" && value !== "") return value;
  throw new WebhookError("HEADER_MISSING", `The request has no header ${name}, so no webhook sent it.`);
}

function ownHeader(headers: object, name: string): unknown {
  const found = Object.entries(headers).find(([own]) => own.toLowerCase() === name);
  const value: unknown = found?.[1];
  return Array.isArray(value) && value.length === 1 ? value[0] : value;
}

function checkTime(timestamp: string, tolerance: number): void {
  if (!/^\d{1,15}$/.test(timestamp)) {
    throw new WebhookError("TIME_WRONG", "The header webhook-timestamp is no number of seconds.");
  }
  const age = Math.floor(Date.now() / 1000) - Number(timestamp);
  if (Math.abs(age) <= tolerance) return;
  const when = age > 0 ? `${age} seconds ago` : `${-age} seconds ahead of this clock`;
  throw new WebhookError(
    "TIME_WRONG",
    `The delivery was signed ${when}; ${tolerance} are allowed. It is an old one sent again by somebody else, or a clock is wrong.`,
  );
}

/** The signatures of the only version that there is with a secret that both sides know. */
function signaturesOf(header: string): Uint8Array<ArrayBuffer>[] {
  const found = header
    .slice(0, 4_096)
    .split(" ")
    .filter((part) => part.startsWith("v1,"))
    .slice(0, mostSignatures)
    .flatMap((part) => fromBase64(part.slice("v1,".length)) ?? []);
  if (found.length > 0) return found;
  throw new WebhookError("SIGNATURE_MALFORMED", "The header webhook-signature has no signature v1,base64.");
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text)) return undefined;
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function joined(head: Uint8Array, rest: Uint8Array): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(head.length + rest.length);
  all.set(head);
  all.set(rest, head.length);
  return all;
}

function readEvent(id: string, body: Uint8Array): RegistryEvent | WebhookTest {
  let read: unknown;
  try {
    read = JSON.parse(new TextDecoder().decode(body));
  } catch {
    // Reported below.
  }
  const { kind, id: own } = (read ?? {}) as Partial<WebhookTest>;
  if (kind === "webhook.test" && own === id) return read as WebhookTest;
  const event = isEvent(read) ? read : undefined;
  if (event?.id === id) return event;
  throw new WebhookError("BODY_WRONG", "The body is signed, but it is no event of the service.");
}

function isEvent(read: unknown): read is RegistryEvent {
  try {
    return checkEvent(read) === read;
  } catch {
    return false;
  }
}
