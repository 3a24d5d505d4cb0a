import { parse } from "content-type";

/** Longest Content-Type in characters. */
const longest = 256;

/** `application/json` (RFC 8259), or an application type with the suffix of RFC 6839. */
const json = /^application\/(json|[a-z0-9][a-z0-9!#$&^_.+-]*\+json)$/;

/** JSON is UTF-8 by default; some clients write `utf8`. */
const charsets = ["utf-8", "utf8"];

/** Whether a Content-Type is JSON in UTF-8; parameters other than `charset` are ignored. */
export function isJsonInUtf8(contentType: string): boolean {
  if (contentType.length > longest) return false;
  const { type, parameters } = parse(contentType);
  return json.test(type) && charsets.includes((parameters["charset"] ?? "utf-8").toLowerCase());
}
