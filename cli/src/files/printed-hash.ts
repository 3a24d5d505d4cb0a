import { type HashMethod, hashMethods, readFileHash, readMethod } from "asset-registry-proof";

/** Longest text that is searched for a hash, in UTF-16 units: the output of a program for one file. */
const longest = 4096;

/** Digits of a digest with 0x or without, or its bytes apart, as older versions of certutil write it. */
const digits = /(?<![0-9a-z])(?:0x)?(?:[0-9a-f]{32,128}|[0-9a-f]{2}(?: [0-9a-f]{2}){15,63})(?![0-9a-z])/gi;

/** A digest in hex, and its method where the text names it. */
export type PrintedHash = { method: HashMethod | undefined; digits: string };

/**
 * Finds the hash in what a program printed about one file, such as certutil, Get-FileHash or `openssl dgst`.
 * @returns undefined where there is none, or where there are several different ones
 */
export function readPrintedHash(text: string): PrintedHash | undefined {
  if (text.length > longest) return undefined;
  const found = new Set(
    Array.from(text.matchAll(digits), ([one]) => one.replace(/^0x/i, "").replaceAll(" ", "").toLowerCase()),
  );
  const [hash, ...others] = found;
  if (hash === undefined || others.length > 0) return undefined;
  return { method: namedMethod(text, hash), digits: hash };
}

/** The one method with digests of this length that the text names; a file's name may hold the name of another. */
function namedMethod(text: string, hash: string): HashMethod | undefined {
  const named = new Set(
    text
      .split(/[^0-9a-z/-]+/i)
      .flatMap((word) => [word, word.replace(/-hash$/i, "")])
      .map(readMethod)
      .filter((method) => method !== undefined && fits(method, hash)),
  );
  const [method, ...others] = named;
  return others.length === 0 ? method : undefined;
}

const fits = (method: HashMethod, hash: string): boolean => readFileHash(method, hash) !== undefined;

/** Methods that the product knows, by which a digest of this length may have been made. */
export const methodsOfLength = (hash: string): HashMethod[] =>
  hashMethods.filter((method) => fits(method, hash));
