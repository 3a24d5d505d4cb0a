import { ArgumentError } from "./errors.ts";

/** The parts of a call that stay the same in all its attempts. */
export type PreparedRequest = { url: string; method: string; headers: Headers; body: string | undefined };

type Parts = {
  url: string;
  path: string;
  method: string;
  body: object | undefined;
  apiKey: string | undefined;
  idempotencyKey: string | undefined;
};

/** @throws ArgumentError for what could never be sent */
export function prepareRequest({ url, path, method, body, apiKey, idempotencyKey }: Parts): PreparedRequest {
  const headers = new Headers({ accept: "application/json" });
  if (apiKey !== undefined) setHeader(headers, "x-api-key", apiKey, "apiKey");
  if (idempotencyKey !== undefined) {
    setHeader(headers, "idempotency-key", idempotencyKey, "idempotencyKey");
  }
  if (body !== undefined) headers.set("content-type", "application/json");
  return {
    url: fullUrl(url, path),
    method,
    headers,
    body: body === undefined ? undefined : toJson(body),
  };
}

/** Sets a header from an argument, whose value no error repeats since it may be a secret. */
export function setHeader(headers: Headers, name: string, value: string, argument: string): void {
  if (typeof value !== "string") throw new ArgumentError(`${argument} must be a text.`);
  try {
    headers.set(name, value);
  } catch {
    throw new ArgumentError(`${argument} has a character that no HTTP header may have.`);
  }
}

/** The URL of a call; a base without origin is relative to the page that the client runs in. */
function fullUrl(base: string, path: string): string {
  if (typeof base !== "string") {
    throw new ArgumentError("url must be a text, such as https://registry.example.");
  }
  if (/[?#]/.test(base)) throw new ArgumentError("url must end before any ? or #.");
  const page = (globalThis as { location?: { href?: string } }).location?.href;
  const text = withoutSlash(base) + path;
  let url: URL | undefined;
  try {
    url = page === undefined ? new URL(text) : new URL(text, page);
  } catch {
    // Reported below, without the URL: it may hold a password.
  }
  if (url?.protocol !== "http:" && url?.protocol !== "https:") {
    throw new ArgumentError("url must begin with http:// or https://, such as https://registry.example.");
  }
  if (url.username !== "" || url.password !== "") {
    throw new ArgumentError("url must not hold a user name or password.");
  }
  return url.href;
}

function withoutSlash(url: string): string {
  let end = url.length;
  while (url.endsWith("/", end)) end -= 1;
  return url.slice(0, end);
}

function toJson(body: object): string {
  try {
    return JSON.stringify(body);
  } catch (error) {
    throw new ArgumentError(`The arguments cannot be written as JSON: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

/**
 * An id as a part of a path.
 * @throws ArgumentError where it is not a text, is malformed, or would lead to another path
 */
export function pathPart(id: string): string {
  if (typeof id !== "string") throw new ArgumentError("An id must be a text.");
  if (["", ".", ".."].includes(id)) throw new ArgumentError("An id must not be empty, or dots alone.");
  try {
    return encodeURIComponent(id);
  } catch {
    throw new ArgumentError("An id holds half of a character.");
  }
}
