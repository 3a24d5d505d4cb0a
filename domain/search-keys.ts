import { longestHashText, readHash, readMethod } from "./hash-methods.ts";

/**
 * The normal forms by which assets are found. They only search: what an author wrote is kept as it is.
 */

/** Longest name key in characters; what a name says beyond is not searched. */
const longest = 256;

/** What stands between two words: everything but letters, their marks, digits and symbols. */
const gap = /[^\p{L}\p{M}\p{N}\p{S}]+/gu;

/**
 * The words of a name in one form of Unicode and one case, with a space between each two. Names that a reader
 * would call the same have the same key; a name without any word has the empty one.
 */
export function nameKey(name: string): string {
  // A name from the chain may be a hundred thousand characters long.
  const start = name.length > 4 * longest ? name.slice(0, 4 * longest) : name;
  const folded = /^[ -~]*$/.test(start)
    ? start.toLowerCase()
    : start.normalize("NFKC").toLowerCase().replaceAll("ς", "σ").normalize("NFKC");
  const words = folded.replace(gap, " ").trim();
  return words.length > longest ? words.slice(0, longest).toWellFormed().trimEnd() : words;
}

/**
 * The normal form of a file's method and hash. Of a method that the product does not know, or a text that is
 * no hash of it, it is the text as it stands beside the method's name without its case and punctuation.
 * @returns undefined where there is no hash, or texts that are too long to be searched for
 */
export function fileKey(method: string, hash: string): string | undefined {
  // The chain may bring megabytes, which nobody can search for.
  if (hash.length > longestHashText || method.length > longestHashText) return undefined;
  const text = hash.trim();
  if (text === "") return undefined;
  const known = readMethod(method);
  const digits = known === undefined ? undefined : readHash(text, known);
  if (digits !== undefined) return `${known}:${digits}`;
  return `${known ?? method.toLowerCase().replace(/[\s_/.-]/g, "")}?${text}`;
}
