import { type Address, type Hash, type Hex, isHex, size } from "viem";
import { z } from "zod";

/** Hex as a node writes it, also with `0X`. */
export const hex = z.preprocess(
  (value) => (typeof value === "string" && value.startsWith("0X") ? `0x${value.slice(2)}` : value),
  z.custom<Hex>((value) => isHex(value), "is no hex"),
);

export const bytes = (length: number) =>
  hex.refine((value) => size(value) === length && value.length === 2 + length * 2, `is not ${length} bytes`);

export const hash = bytes(32).transform((value): Hash => value.toLowerCase() as Hash);
export const address = bytes(20).transform((value): Address => value.toLowerCase() as Address);

/** Most digits of a quantity. */
const mostDigits = 66;

/** A number of a node: hex, also with leading zeros, or a JSON number. */
export const quantity = z.union([
  z.int().min(0).transform(BigInt),
  hex
    .refine((value) => value.length > 2 && value.length <= mostDigits, "is no number")
    .transform((value) => BigInt(value)),
]);

/** A quantity below 2^53. */
export const count = quantity
  .refine((value) => value <= BigInt(Number.MAX_SAFE_INTEGER), "is over 2^53")
  .transform(Number);
