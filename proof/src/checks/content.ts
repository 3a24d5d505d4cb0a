import { methodName } from "../file-hash/method-names.ts";
import { readStoredHash } from "../file-hash/methods.ts";
import { weaknessOf } from "../file-hash/weak-methods.ts";
import type { Given } from "../given.ts";
import { type Finding, invalid, unchecked, valid } from "../result/result.ts";

/** Checks that the verifier's file has the digest that the asset's texts `method` and `hash` say. */
export function checkContent(asset: { method: string; hash: string }, file: Given["fileHash"]): Finding {
  if (file === undefined) return unchecked("no-file", "No file was given, so none was compared.");
  const stored = readStoredHash(asset);
  if (typeof stored === "string") return unchecked(stored, whyUnread[stored]);
  const own = readStoredHash({ method: file.method, hash: file.digest });
  if (typeof own === "string") {
    return unchecked(
      "unreadable-digest",
      "The digest that was given for the file is none that its method has.",
    );
  }
  const method = methodName(stored.method);
  if (own.method !== stored.method) {
    const reason = `The asset has a ${method} digest, and the file's was made by ${methodName(own.method)}: make one by ${method}.`;
    return unchecked("another-method", reason);
  }
  if (own.digits !== stored.digits) {
    const reason = `The file is another: its ${method} digest is ${own.digits}, and the asset names ${stored.digits}.`;
    return invalid("file-differs", reason);
  }
  const weakness = weaknessOf(stored.method);
  const reason = `The file has the ${method} digest that the asset names: ${stored.digits}.`;
  return valid("file-matches", weakness === undefined ? reason : `${reason} But ${weakness}`);
}

const whyUnread = {
  "no-hash": "The asset names no hash of a file.",
  "no-method": "The asset names a hash, and not by which method it was made.",
  "unknown-method": "The asset names a hash by a method that this verifier does not know.",
  "unreadable-hash": "The hash that the asset names is none that its method has.",
} as const;
