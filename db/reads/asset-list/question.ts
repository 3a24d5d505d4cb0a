import { limits } from "../../../domain/limits.ts";
import type { AssetState } from "../../../domain/request/state.ts";
import type { Place } from "../../core/keyset.ts";
import type { AssetFilter } from "./filter.ts";

export type ListQuestion = {
  /** Whose requests are read; it does not matter where none are. */
  tenant: string;
  filter: AssetFilter;
  /** The state of the entries; of a request the one that was stored last. */
  state: AssetState | undefined;
  /** Times of creation: `createdFrom` or later, and before `createdTo`. */
  createdFrom: Date | undefined;
  createdTo: Date | undefined;
  /**
   * The tenant's requests after the place `below`; undefined: none are read. On later pages `upTo` is the newest block of
   * the first: an asset in a block after it is still listed as a request.
   */
  requests: { below: Place<string> | undefined; upTo: number | undefined } | undefined;
  /** The assets of the chain after the place `below`; undefined: none are read. */
  chain: { below: Place<number> } | undefined;
  /** Most rows of each. */
  limit: number;
  /** Which rows are shown: those behind `skip`, up to `wanted`. */
  skip: number;
  wanted: number;
};

/** Sizes of a page that share one statement each. */
const usualSizes = [20, limits.page.default, limits.page.max];

/** Rows to read for a page that ends with the row `wanted`, and one that tells whether there are more. */
export const rowsToRead = (wanted: number): number =>
  (usualSizes.find((size) => size >= wanted) ?? wanted) + 1;

/**
 * Whether the list is of the few frequent forms: the first rows, by one condition at most, and none on links or times.
 * They have fewer than a hundred statements together, whatever callers ask for.
 */
export function isUsual({ filter, state, createdFrom, createdTo, limit }: ListQuestion): boolean {
  const { author, file, nameStart, words, linkedTo, linkedFrom } = filter;
  const frequent = [author, file, nameStart, words, state].filter((condition) => condition !== undefined);
  const rare = [linkedTo, linkedFrom, createdFrom, createdTo].filter((condition) => condition !== undefined);
  return frequent.length <= 1 && rare.length === 0 && usualSizes.includes(limit - 1);
}

/** In SQL: the rows of a part of the list, what is read of them, and where its walk ended before the list did. */
export type Part = { rows: string; read: string; end: string | undefined };
