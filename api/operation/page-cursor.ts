import { createHash } from "node:crypto";
import { z } from "zod";
import { isStorable } from "./instant.ts";
import { invalidRequest } from "./parse.ts";

/**
 * The list of a cursor: name, caller and filters. A cursor of another list is refused.
 */
export type CursorScope = readonly unknown[];

/** Bytes of the digest that ties a cursor to its list. It detects mistakes, and protects no secret. */
const tieBytes = 9;

/**
 * Encodes the position after which the next page begins, for `meta.next`.
 * @param place JSON values of the list's order
 */
export function writeCursor(scope: CursorScope, place: unknown): string {
  const body = Buffer.from(JSON.stringify(place));
  return Buffer.concat([tieOf(scope, body), body]).toString("base64url");
}

/**
 * Reads the parameter `cursor`.
 * @throws ApiError INVALID_REQUEST where the text is no cursor of this list
 */
export function readCursor<Place extends z.ZodType>(
  scope: CursorScope,
  place: Place,
  text: string,
): z.output<Place> {
  const bytes = Buffer.from(text, "base64url");
  const body = bytes.subarray(tieBytes);
  // Node ignores characters that are not Base64, so many texts would decode to one cursor.
  const isWhole = bytes.toString("base64url") === text && bytes.length > tieBytes;
  if (!isWhole || !tieOf(scope, body).equals(bytes.subarray(0, tieBytes))) throw foreignCursor();
  const parsed = place.safeParse(jsonOf(body));
  if (!parsed.success) throw foreignCursor();
  return parsed.data;
}

/** Undefined where the text is no JSON, since anybody can compute the digest of any text. */
function jsonOf(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}

/** A time with microseconds in a position. */
export const placeTime = z.iso
  .datetime({ precision: 6 })
  .refine((text) => isStorable(new Date(text)), "is out of range");

const tieOf = (scope: CursorScope, body: Buffer): Buffer =>
  createHash("sha256").update(JSON.stringify(scope)).update("\0").update(body).digest().subarray(0, tieBytes);

function foreignCursor() {
  return invalidRequest([
    {
      field: "cursor",
      message: "must be meta.next of a page of this same list, with the same key and filters",
    },
  ]);
}
