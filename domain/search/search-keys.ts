import { longestHashText, squeezeMethod } from "../../proof/src/file-hash/method-names.ts";
import { readFileHash } from "../../proof/src/file-hash/methods.ts";
import { isPlainAscii, visibleText } from "../../proof/src/file-hash/visible-text.ts";
import { foldCase } from "./fold-case.ts";

/**
 * Normal forms by which assets are found; the originals are kept as written. Rows of an index store them, so a version
 * that changes a form says in its changelog to run `npm run reindex`.
 */

/** Longest name key in characters; the rest of a name is not searched. */
const longest = 256;

/** Separators of words: everything but letters, their marks, digits and symbols. */
const gap = /[^\p{L}\p{M}\p{N}\p{S}]+/gu;

/**
 * The words of a name in one form of Unicode and one case, without what no reader sees, with a space between each
 * two. Names that a reader would call the same have the same key; a name without any word has the empty one.
 */
export function nameKey(name: string): string {
  // A name from the chain may be a hundred thousand characters long.
  const start = name.length > 4 * longest ? name.slice(0, 4 * longest) : name;
  const folded = isPlainAscii(start)
    ? start.toLowerCase()
    : visibleText(foldCase(visibleText(start).slice(0, 4 * longest)));
  const words = folded.replace(gap, " ").trim();
  return words.length > longest ? words.slice(0, longest).toWellFormed().trimEnd() : words;
}

/**
 * The normal form of a file's method and hash. Where the text can be read as a digest it is the digest, however it
 * is written; where not, the text as it stands beside the method's name without its case and punctuation. A digest
 * of 32 bytes without any method is taken for SHA2-256, as a search without one asks for that.
 * @returns undefined where there is no hash, or texts that are too long to be searched for
 */
export function fileKey(method: string, hash: string): string | undefined {
  // A text from the chain may have megabytes.
  if (hash.length > longestHashText || method.length > longestHashText) return undefined;
  const text = hash.trim();
  if (text === "") return undefined;
  const read = readFileHash(method, text);
  if (read === undefined) return `${squeezeMethod(method)}?${text}`;
  const isUnnamed = read.method === "" && read.digits.length === 64;
  return `${isUnnamed ? "sha256" : read.method}:${read.digits}`;
}
