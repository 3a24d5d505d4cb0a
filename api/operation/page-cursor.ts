import { createHash } from "node:crypto";
import { z } from "zod";
import { isStorable } from "./instant.ts";
import { invalidRequest } from "./parse.ts";

/**
 * Which list a cursor belongs to: its name, who reads it and its filters. A cursor of another list is refused,
 * because its place means nothing here.
 */
export type CursorScope = readonly unknown[];

/** Bytes of the digest that ties a place to its list. It finds mistakes; nothing secret rests on it. */
const tieBytes = 9;

/**
 * Writes the place in a list behind which the next page begins, as a text for `meta.next`.
 * @param place numbers and texts that order the list, as JSON can hold them
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
  // Node reads past characters that are no Base64, so that many texts would be one cursor.
  const isWhole = bytes.toString("base64url") === text && bytes.length > tieBytes;
  if (!isWhole || !tieOf(scope, body).equals(bytes.subarray(0, tieBytes))) throw foreignCursor();
  const parsed = place.safeParse(jsonOf(body));
  if (!parsed.success) throw foreignCursor();
  return parsed.data;
}

/** Anybody can tie a text to a list that is no place in it. */
function jsonOf(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}

/** Of a place: a time with microseconds as lists are ordered by, which the database can read. */
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
