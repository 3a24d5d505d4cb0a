import type { Address, Hash, Hex } from "viem";
import { z } from "zod";
import { mapDetails } from "../../domain/asset/asset.ts";

/**
 * Types of texts in answers. `meta` states their format in JSON Schema; answers are not parsed.
 */

/** A text that begins with 0x, in its own type, so that viem takes it as it is. */
function hexText<Text extends Hex>(pattern: string, description: string): z.ZodType<Text, Text> {
  return z.string().meta({ pattern, description }) as unknown as z.ZodType<Text, Text>;
}

export const idAnswer = hexText<Hash>("^0x[0-9a-f]{64}$", "Id of an asset: its EIP-712 digest");

export const addressAnswer = hexText<Address>("^0x[0-9a-fA-F]{40}$", "With the checksum of EIP-55");

export const hashAnswer = hexText<Hash>("^0x[0-9a-f]{64}$", "32 bytes in 0x hex, lower case");

export const uuidAnswer = z.string().meta({ format: "uuid" });

export const hexAnswer = hexText<Hex>("^0x([0-9a-f]{2})*$", "Bytes in 0x hex");

export const quantityAnswer = hexText<Hex>(
  "^0x(0|[1-9a-f][0-9a-f]*)$",
  "A quantity in 0x hex, as wallets take it",
).nullable();

/** A number of a block, or a count. */
export const countAnswer = z.int().min(0);

/** ISO 8601 in UTC. */
export const timeAnswer = z.string().meta({ format: "date-time", description: "ISO 8601 with +00:00" });

/** The texts of an asset under the names that its id commits to. */
export const textAnswers = mapDetails(() => z.string());
