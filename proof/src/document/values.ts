import { addressBytes } from "../bytes/address.ts";
import { fromHex } from "../bytes/hex.ts";
import { ProofError } from "./error.ts";
import { hasLoneSurrogate } from "./text.ts";

/** Members of an object that has these and no others. */
export function members<Name extends string>(
  value: unknown,
  place: string,
  names: readonly Name[],
): Record<Name, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw wrongType(place, "an object");
  for (const name of names) {
    if (!Object.hasOwn(value, name)) throw new ProofError("missing-member", `${place}: ${name} is missing.`);
  }
  // Its own name is not repeated, as it may be anything.
  if (Object.keys(value).length > names.length) {
    throw new ProofError("unknown-member", `${place} has a member beside ${names.join(", ")}.`);
  }
  return value as Record<Name, unknown>;
}

export function list(value: unknown, place: string, most: number): unknown[] {
  if (!Array.isArray(value)) throw wrongType(place, "a list");
  if (value.length > most) throw outOfBounds(place, `${value.length} entries, and at most ${most} are read`);
  // A list with holes, over which some loops go and others do not, gets undefined there.
  return Array.from(value);
}

export function integer(value: unknown, place: string): number {
  if (!Number.isSafeInteger(value) || (value as number) < 0) {
    throw wrongType(place, "a number in decimal digits, at most 2^53 - 1");
  }
  return value as number;
}

export function text(value: unknown, place: string): string {
  if (typeof value !== "string") throw wrongType(place, "a text");
  if (hasLoneSurrogate(value)) throw new ProofError("not-utf8", `${place} holds half of a character.`);
  return value;
}

export function address(value: unknown, place: string): Uint8Array {
  const read = typeof value === "string" ? addressBytes(value) : undefined;
  if (read === undefined) {
    throw wrongType(place, "an address: 0x and 40 hex digits, in lower case or with a right checksum");
  }
  return read;
}

export function hash(value: unknown, place: string): Uint8Array {
  const read = typeof value === "string" && value.length === 66 ? fromHex(value) : undefined;
  if (read === undefined) throw wrongType(place, "0x and 64 hex digits in lower case");
  return read;
}

/** At least one byte, and at most so many. */
export function bytes(value: unknown, place: string, most: number): Uint8Array {
  if (typeof value !== "string") throw wrongType(place, "a text of hex digits");
  if (value.length > 2 * most + 2) throw outOfBounds(place, `more than ${most} bytes`);
  const read = fromHex(value);
  if (read === undefined || read.length === 0)
    throw wrongType(place, "0x and hex digits of whole bytes in lower case");
  return read;
}

const wrongType = (place: string, expected: string) =>
  new ProofError("wrong-type", `${place} must be ${expected}.`);

const outOfBounds = (place: string, what: string) => new ProofError("out-of-bounds", `${place} has ${what}.`);
