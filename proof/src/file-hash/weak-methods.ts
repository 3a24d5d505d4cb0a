import type { HashMethod } from "./method-names.ts";

/** A warning about a method by which two different files with the same digest can be made; undefined of all others. */
export function weaknessOf(method: HashMethod): string | undefined {
  switch (method) {
    case "md5":
      return "MD5 is broken: anybody can make two different files with the same digest in seconds.";
    case "sha1":
      return "SHA-1 is broken: two different files with the same digest can be made.";
    case "blake2s128":
      return "BLAKE2s-128 is short: two different files with the same digest can be made with great effort.";
    default:
      return undefined;
  }
}
