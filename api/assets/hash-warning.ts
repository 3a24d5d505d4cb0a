import type { Warning } from "../../domain/envelope.ts";
import { readMethod } from "../../proof/src/file-hash/method-names.ts";
import { readFileHash } from "../../proof/src/file-hash/methods.ts";

/** Warning for a hash that cannot be read as a digest, and is stored and found as text. */
export function hashWarning(method: string, hash: string): Warning | undefined {
  if (hash.trim() === "" || readFileHash(method, hash) !== undefined) return undefined;
  const named = method.trim() === "" ? "" : ` of ${method.trim()}`;
  // A search by a known method refuses such a hash.
  const found =
    readMethod(method) === undefined ? "found only as this very text" : "found by no search for a hash";
  return {
    field: "hash",
    message: `cannot be read as a digest${named} in hex, Base64 or another usual form: it is kept as it is, and ${found}`,
  };
}
