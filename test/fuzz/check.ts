import { gunzipSync } from "node:zlib";
import { mediaType } from "../../api/openapi/responses.ts";
import { expectDocumented } from "../support/contract.ts";
import type { FuzzRequest, Tenant } from "./request.ts";
import type { FuzzAnswer } from "./send.ts";

/** What only one tenant may read: words of its requests, and the ids of them and of what is not on the chain. */
export type Secrets = { words: string; ids: ReadonlySet<string> };

/** What is wrong with an answer, in words. */
export function problemOf(
  request: FuzzRequest,
  answer: FuzzAnswer,
  secrets: Record<Tenant, Secrets>,
): string | undefined {
  const { status, contentType, body } = answer;
  if (status >= 500) return `answered ${status}: ${body.slice(0, 500)}`;
  for (const tenant of ["tenant-a", "tenant-b"] as const) {
    const leaked = request.as === tenant ? undefined : leakOf(request, body, secrets[tenant]);
    if (leaked !== undefined) return `leaks ${leaked} of ${tenant}`;
  }
  const isJson = mediaType(contentType ?? "") === "application/json";
  if (request.method === "HEAD") return body === "" ? undefined : "HEAD was answered with a body";
  try {
    const read: unknown = isJson ? JSON.parse(body) : body;
    expectDocumented({
      method: request.method,
      path: pathOnly(request.path),
      status,
      contentType,
      body: read,
    });
  } catch (error) {
    return (error instanceof Error ? error.message : String(error)).slice(0, 600);
  }
  if (/node_modules|\n +at |\.ts:\d+/.test(status >= 400 ? body : "")) return "shows our code";
  return undefined;
}

/**
 * The path of a target: one may name its host (RFC 9112, 3.2.2), in which a backslash is read as a slash, and what
 * stands behind a # is no part of it.
 */
function pathOnly(target: string): string {
  const [, named] = /^http:\/\/[^/]*(.*)/s.exec(target) ?? [];
  return (named?.replaceAll("\\", "/") ?? target).replace(/#.*/, "");
}

/** An id that the request names may be repeated to it, and that of a transaction opens it to whoever knows it. */
function leakOf({ path, body }: FuzzRequest, answered: string, { words, ids }: Secrets): string | undefined {
  const asked = `${path} ${body?.toString() ?? ""} ${unpacked(body)}`.toLowerCase();
  for (const [id] of asked.matchAll(uuids)) if (ids.has(id)) return undefined;
  if (answered.includes(words)) return "words";
  for (const [id] of answered.matchAll(anyIds)) if (ids.has(id) && !asked.includes(id)) return `the id ${id}`;
  return undefined;
}

/** What a compressed body says; nothing where it is none. */
function unpacked(body: FuzzRequest["body"]): string {
  if (!Buffer.isBuffer(body)) return "";
  try {
    return gunzipSync(body, { maxOutputLength: 1_000_000 }).toString();
  } catch {
    return "";
  }
}

const uuids = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
const anyIds = new RegExp(`0x[0-9a-f]{64}|${uuids.source}`, "g");
