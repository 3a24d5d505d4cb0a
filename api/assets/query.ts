import type { Address } from "viem";
import { z } from "zod";
import { fileDigest } from "../../db/core/search-keys.ts";
import { parseAddress } from "../../domain/address.ts";
import { type AssetId, parseAssetId } from "../../domain/asset/asset.ts";
import type { Warning } from "../../domain/envelope.ts";
import { limits } from "../../domain/limits.ts";
import { assetStates } from "../../domain/request/state.ts";
import { nameKey } from "../../domain/search/search-keys.ts";
import { digitsOf, readMethod } from "../../proof/src/file-hash/method-names.ts";
import { readFileHash } from "../../proof/src/file-hash/methods.ts";
import { text } from "../operation/fields.ts";
import { isStorable } from "../operation/instant.ts";
import { oneText, pagingQuery } from "../operation/paging.ts";
import { invalidRequest } from "../operation/parse.ts";
import { hashWarning } from "./hash-warning.ts";
import type { AssetQuery } from "./list.ts";

/** The parameters of `GET /assets/`. */

type Read<Value> = { value: Value } | { problem: string };

/** A parameter with a parser of its own. */
function read<Value>(wanted: string, parse: (given: string) => Read<Value>) {
  return oneText(wanted).transform((given, context): Value => {
    const result = parse(given);
    if ("value" in result) return result.value;
    context.addIssue(result.problem);
    return z.NEVER;
  });
}

const address = read<Address>("an address", (given) => {
  const parsed = parseAddress(given);
  return typeof parsed === "string" ? { value: parsed } : parsed;
}).meta({ pattern: "^0x[0-9a-fA-F]{40}$" });
const assetId = read<AssetId>("an asset id", (given) => {
  const id = parseAssetId(given);
  return id === undefined ? { problem: "must be 0x and 64 hex digits" } : { value: id };
}).meta({ pattern: "^0x[0-9a-fA-F]{64}$" });

const aTime = "a time in ISO 8601 with an offset, such as 2026-11-28T00:00:00Z";
/** Longest time in characters; one with nanoseconds and an offset has 35. */
const longestTime = 40;
const time = read<Date>(aTime, (given) => {
  if (given.length > longestTime) return { problem: `must be ${aTime}` };
  // A plus that was not encoded arrives as a space.
  const parsed = z.iso.datetime({ offset: true }).safeParse(given.replace(/ (\d\d:\d\d)$/, "+$1"));
  const date = new Date(parsed.data ?? "");
  if (Number.isNaN(date.getTime())) return { problem: `must be ${aTime}` };
  return isStorable(date) ? { value: date } : { problem: "must be in the years 0001 to 9999" };
}).meta({ format: "date-time" });

const words = (max: number) =>
  oneText("a text")
    .pipe(text(max))
    .transform((given, context): string => {
      const key = nameKey(given);
      if (key === "") context.addIssue("must have at least one letter, digit or symbol");
      return key;
    });

const oneOfStates = `one of ${assetStates.join(", ")}`;

export const assetQuery = z.strictObject({
  author: address.optional().meta({ description: "Address that owns the asset" }),
  state: oneText(oneOfStates)
    .pipe(z.enum(assetStates, { error: `must be ${oneOfStates}` }))
    .meta({ enum: [...assetStates] })
    .optional()
    .meta({ description: "State of the asset, by the one noted last" }),
  hash: oneText("a text")
    .pipe(text(limits.text.hash))
    .refine((given) => given.trim() !== "", "must not be empty")
    .optional()
    .meta({
      description:
        "Hash of the file in any usual form, whatever its author wrote: hex, Base64, sha256:…, SRI, multihash, ni:, a line of sha256sum and others",
    }),
  method: oneText("a text").pipe(text(limits.text.method)).optional().meta({
    description: "Method of the hash in any spelling: SHA2-256 where neither it nor the hash says another",
  }),
  name: words(limits.text.name)
    .optional()
    .meta({ description: "Beginning of the name, whatever its case, form of Unicode and punctuation" }),
  words: words(limits.text.name)
    .optional()
    .meta({ description: "Whole words that the name has, all of them, in any order" }),
  createdFrom: time.optional().meta({ description: "Created at this time or later" }),
  createdTo: time.optional().meta({ description: "Created before this time" }),
  linkedTo: assetId.optional().meta({ description: "Only assets that point to this one" }),
  linkedFrom: assetId.optional().meta({ description: "Only assets that this one points to" }),
  ...pagingQuery,
});

/** @throws ApiError INVALID_REQUEST where parameters contradict each other */
export function askedFor(given: z.output<typeof assetQuery>): AssetQuery & { warning: Warning | undefined } {
  const { author, state, name, words: all, createdFrom, createdTo, linkedTo, linkedFrom } = given;
  if (createdFrom !== undefined && createdTo !== undefined && createdFrom >= createdTo) {
    throw invalidRequest([{ field: "createdTo", message: "must be later than createdFrom" }]);
  }
  return {
    author,
    state,
    ...fileOf(given),
    nameStart: name,
    words: all?.split(" "),
    createdFrom,
    createdTo,
    linkedTo,
    linkedFrom,
  };
}

type FileAsked = { file: Buffer | undefined; warning: Warning | undefined };

function fileOf({
  hash: given,
  method,
}: {
  hash?: string | undefined;
  method?: string | undefined;
}): FileAsked {
  // An empty method would be an unknown one, and a mistyped hash would look unregistered.
  if (method === "") throw invalidRequest([{ field: "method", message: "must not be empty: leave it out" }]);
  if (given === undefined) {
    if (method === undefined) return { file: undefined, warning: undefined };
    throw invalidRequest([{ field: "method", message: "needs hash beside it" }]);
  }
  const hash = withPlus(method ?? "", given);
  const read = readFileHash(method ?? "", hash);
  const known = readMethod(method ?? "sha256");
  const isOther = method === undefined && read?.method === "" && read.digits.length !== digitsOf("sha256");
  // Refused, since a mistyped hash would look unregistered.
  if (known !== undefined && (read === undefined || isOther)) {
    const hint = method === undefined ? ": name its method" : "";
    throw invalidRequest([{ field: "hash", message: `is no ${known} hash in hex or Base64${hint}` }]);
  }
  return { file: fileDigest(method ?? "", hash), warning: hashWarning(method ?? "", hash) };
}

/** A plus of Base64 that was not encoded arrives as a space. */
function withPlus(method: string, hash: string): string {
  const meant = hash.replaceAll(" ", "+");
  return readFileHash(method, hash) === undefined && readFileHash(method, meant) !== undefined ? meant : hash;
}
