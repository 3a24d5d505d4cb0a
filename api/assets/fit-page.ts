import { limits } from "../../domain/limits.ts";
import { entriesThatFit } from "../operation/paging.ts";

export type FittedPage<Shown> = {
  assets: Shown[];
  /** How many entries of the list the page covers. */
  entries: number;
  /** Of a large page: the most entries such as these that a small one has. */
  small: number | undefined;
};

/** How much of an asset is shown. */
export type Extent = { characters: number; links: number };

/** Bytes from which on a page is large, and up to which one is small. */
const large = limits.answerBytes / 2;
const small = limits.answerBytes / 16;

/**
 * Ends a page before its answer would be too large; it has at least one entry.
 * @param shown the entries that were read, in their order; undefined of those that are there no more
 * @param asked how many entries were to be read
 */
export function fitPage<Shown>(
  shown: readonly (Shown | undefined)[],
  extentOf: (asset: Shown) => Extent,
  asked: number,
): FittedPage<Shown> {
  const most = shown.reduce((sum, asset) => sum + (asset === undefined ? 0 : mostBytes(extentOf(asset))), 0);
  const fits = most > limits.answerBytes ? entriesThatFit(shown) : { count: shown.length, bytes: 0 };
  // One that ended early would have been larger.
  const bytes = fits.count < asked ? limits.answerBytes : fits.bytes;
  return {
    assets: shown.slice(0, fits.count).filter((asset) => asset !== undefined),
    entries: fits.count,
    small: bytes < large ? undefined : Math.max(1, Math.floor((fits.count * small) / bytes)),
  };
}

/** Bytes of JSON that a character has at most, escaped, and of an asset beside its texts. */
const most = { character: 6, asset: 2_500, link: 80 };

/** More bytes than an asset has as JSON; to count them takes as long as to serialise it. */
const mostBytes = ({ characters, links }: Extent): number =>
  most.asset + most.link * links + most.character * characters;
