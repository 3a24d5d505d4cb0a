import type { Address, Hash, Hex } from "viem";
import { z } from "zod";
import { parseAddress } from "../../domain/address.ts";
import { type AssetId, parseAssetId } from "../../domain/asset/asset.ts";
import { limits } from "../../domain/limits.ts";

/**
 * Types of request fields. Each message completes the sentence "<field> …". `meta` states in JSON Schema what the check
 * beside it enforces.
 */

const kinds: Record<string, string> = {
  string: "a text",
  number: "a number",
  boolean: "true or false",
  object: "an object",
};

/** The name of a value's type. */
function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  return kinds[typeof value] ?? typeof value;
}

export function wrongType(wanted: string) {
  return ({ input }: { input?: unknown }) =>
    input === undefined ? "is missing" : `must be ${wanted}, not ${kindOf(input)}`;
}

/** Number of Unicode code points; `length` counts an emoji twice. */
function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

function textProblem(value: string, max: number): string | undefined {
  if (value.includes("\0")) return "must not contain the NUL character";
  if (!value.isWellFormed()) return "must be valid Unicode: it holds half of a surrogate pair";
  const length = codePoints(value);
  return length > max ? `must have at most ${max} characters, not ${length}` : undefined;
}

/** A text that is stored exactly as sent. */
export function text(max: number) {
  return z
    .string({ error: wrongType("a text") })
    .superRefine((value, context) => {
      const problem = textProblem(value, max);
      if (problem !== undefined) context.addIssue(problem);
    })
    .meta({ maxLength: max });
}

/** An optional text; empty is the same as absent. */
export const optionalText = (max: number) =>
  text(max)
    .optional()
    .transform((value) => value ?? "");

export const address = z
  .string({ error: wrongType("an address") })
  .transform((value, context): Address => {
    const parsed = parseAddress(value);
    if (typeof parsed === "string") return parsed;
    context.addIssue(parsed.problem);
    return z.NEVER;
  })
  .meta({ pattern: "^0x[0-9a-fA-F]{40}$" });

export const assetId = z
  .string()
  .transform((value, context): AssetId => {
    const id = parseAssetId(value);
    if (id !== undefined) return id;
    context.addIssue("must be 0x and 64 hex digits");
    return z.NEVER;
  })
  .meta({ pattern: "^0x[0-9a-fA-F]{64}$" });

/** Ids of transactions and wallets. */
export const uuid = z
  .string()
  .regex(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i, "must be a UUID")
  .toLowerCase();

export const transactionHash = z
  .string({ error: wrongType("a transaction hash") })
  .regex(/^0x[0-9a-fA-F]{64}$/, "must be 0x and 64 hex digits")
  .transform((value) => value.toLowerCase() as Hash);

export const signature = z
  .string({ error: wrongType("a signature") })
  .regex(/^0x([0-9a-fA-F]{2})+$/, "must be 0x and an even number of hex digits")
  .max(2 + 2 * limits.signatureBytes, `must have at most ${limits.signatureBytes} bytes`)
  .transform((value) => value.toLowerCase() as Hex);

/**
 * The targets of a link change: from one to `limits.targets` unique ids. Checked by hand, so that a list of a hundred
 * thousand entries is refused by its length.
 */
export const targetIds = z
  .unknown()
  .transform((input, context): AssetId[] => {
    const problem = listProblem(input);
    if (problem !== undefined) {
      context.addIssue(problem);
      return z.NEVER;
    }
    const ids: AssetId[] = [];
    for (const [index, item] of (input as unknown[]).entries()) {
      const id = typeof item === "string" ? parseAssetId(item) : undefined;
      const place = id === undefined ? -1 : ids.indexOf(id);
      if (id === undefined) context.addIssue({ code: "custom", message: itemProblem(item), path: [index] });
      else if (place !== -1) {
        context.addIssue({ code: "custom", message: `repeats ${id}`, path: [index] });
      }
      ids.push(id ?? "0x");
    }
    return ids;
  })
  .meta({
    type: "array",
    items: { type: "string", pattern: "^0x[0-9a-fA-F]{64}$" },
    minItems: 1,
    maxItems: limits.targets,
    uniqueItems: true,
  });

function listProblem(input: unknown): string | undefined {
  if (!Array.isArray(input)) return wrongType("a list of asset ids")({ input });
  if (input.length === 0) return "must name at least one asset";
  if (input.length > limits.targets) return `must name at most ${limits.targets} assets, not ${input.length}`;
  return undefined;
}

const itemProblem = (item: unknown): string =>
  typeof item === "string"
    ? "must be an asset id: 0x and 64 hex digits"
    : `must be an asset id, not ${kindOf(item)}`;
