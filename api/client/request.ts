import { ArgumentError } from "./errors.ts";

/** What of a call stays the same through all its tries. */
export type PreparedRequest = { url: string; method: string; headers: Headers; body: string | undefined };

type Parts = {
  base: string;
  path: string;
  method: string;
  body: object | undefined;
  apiKey: string | undefined;
  idempotencyKey: string | undefined;
};

/** @throws ArgumentError for what could never be sent, however often it is tried */
export function prepareRequest({ base, path, method, body, apiKey, idempotencyKey }: Parts): PreparedRequest {
  const headers = new Headers({ accept: "application/json" });
  if (apiKey !== undefined) setHeader(headers, "x-api-key", apiKey, "apiKey");
  if (idempotencyKey !== undefined) {
    setHeader(headers, "idempotency-key", idempotencyKey, "idempotencyKey");
  }
  if (body !== undefined) headers.set("content-type", "application/json");
  return {
    url: checkedUrl(base, path),
    method,
    headers,
    body: body === undefined ? undefined : jsonOf(body),
  };
}

/** Sets a header to what the caller gave for it; the value may be a secret, so no message repeats it. */
export function setHeader(headers: Headers, name: string, value: string, argument: string): void {
  if (typeof value !== "string") throw new ArgumentError(`${argument} must be a text.`);
  try {
    headers.set(name, value);
  } catch {
    throw new ArgumentError(`${argument} has a character that no HTTP header may have.`);
  }
}

/** A page may leave the origin out: then it is the page's own. */
function checkedUrl(base: string, path: string): string {
  if (/[?#]/.test(base)) throw new ArgumentError("url must end before any ? or #.");
  const page = (globalThis as { location?: { href?: string } }).location?.href;
  let url: URL | undefined;
  try {
    url = page === undefined ? new URL(base + path) : new URL(base + path, page);
  } catch {
    // Said below, without the URL: it may hold a password.
  }
  if (url?.protocol !== "http:" && url?.protocol !== "https:") {
    throw new ArgumentError("url must begin with http:// or https://, such as https://registry.example.");
  }
  if (url.username !== "" || url.password !== "") {
    throw new ArgumentError("url must not hold a user name or password.");
  }
  return url.href;
}

function jsonOf(body: object): string {
  try {
    return JSON.stringify(body);
  } catch (error) {
    throw new ArgumentError(`The arguments cannot be written as JSON: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

/** @throws ArgumentError for what is no text, or one that no URL can hold, or that would lead to another path */
export function pathPart(text: string): string {
  if (typeof text !== "string") throw new ArgumentError("An id must be a text.");
  if (["", ".", ".."].includes(text)) throw new ArgumentError("An id must not be empty, or dots alone.");
  try {
    return encodeURIComponent(text);
  } catch {
    throw new ArgumentError("An id holds half of a character.");
  }
}
