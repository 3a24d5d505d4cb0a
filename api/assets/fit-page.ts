import { limits } from "../../domain/limits.ts";
import { entriesThatFit } from "../operation/paging.ts";

export type FittedPage<Shown> = {
  assets: Shown[];
  /** How many entries of the list the page covers. */
  entries: number;
  /** Whether its texts may be too many for one answer. */
  isLarge: boolean;
};

/** How much of an asset is shown. */
export type Extent = { characters: number; links: number };

/**
 * Ends a page before its answer would be too large; it has at least one entry.
 * @param shown the entries in their order; undefined of those that are there no more
 */
export function fitPage<Shown>(
  shown: readonly (Shown | undefined)[],
  extentOf: (asset: Shown) => Extent,
): FittedPage<Shown> {
  const bytes = shown.map((asset) => (asset === undefined ? 0 : mostBytes(extentOf(asset))));
  const isLarge = bytes.reduce((sum, most) => sum + most, 0) > limits.answerBytes;
  const entries = isLarge ? entriesThatFit(shown) : shown.length;
  return { assets: shown.slice(0, entries).filter((asset) => asset !== undefined), entries, isLarge };
}

/** Bytes of JSON that a character has at most, escaped, and of an asset beside its texts. */
const most = { character: 6, asset: 2_500, link: 80 };

/** More bytes than an asset has as JSON; to count them takes as long as to serialise it. */
const mostBytes = ({ characters, links }: Extent): number =>
  most.asset + most.link * links + most.character * characters;
