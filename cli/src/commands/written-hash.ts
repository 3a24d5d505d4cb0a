import { type HashMethod, methodName, readStoredHash } from "asset-registry-proof";
import { methodsOfLength, readPrintedHash } from "../files/printed-hash.ts";
import { usualMethod } from "../files/usual-method.ts";
import { printable } from "../output/printable.ts";
import { misuse, type Problem } from "../problem.ts";

/** A digest in hex with its method; `assumed` where nobody named that. */
export type WrittenHash = { method: HashMethod; digits: string; assumed: boolean };

/**
 * Reads a hash on the command line, in any usual notation or as a program printed it. Without a method in the text or
 * beside it, a digest of 32 bytes is taken for the usual method, as the service takes it. @throws Problem
 */
export function writtenHash(method: HashMethod | undefined, text: string): WrittenHash {
  const bare = text
    .trim()
    .replace(/^(["'`])(.*)\1$/s, "$2")
    .replace(ipfsPlace, "");
  const read = readStoredHash({ method: method ?? "", hash: bare });
  if (typeof read !== "string") return { ...read, assumed: false };
  if (read === "no-hash") throw unreadable(text, "it is empty");
  if (contentId.test(bare)) {
    const what = "it is an IPFS CID, which is the hash of a tree of blocks and not of the file";
    throw unreadable(text, `${what}: give a hash of the file itself, such as sha256sum prints`);
  }
  return (method === undefined ? unnamed(bare) : undefined) ?? printed(method, bare, text);
}

/** The method that is named beside a hash, which has one. @throws Problem where several are named */
export function onlyMethod([method, ...others]: readonly HashMethod[] = []): HashMethod | undefined {
  if (others.length === 0) return method;
  throw misuse("too-many-arguments", "A hash is made by one method: name one by --method.");
}

/** What to try where a hash is not found, or differs, and nobody named its method. */
export const assumedHint = (method: HashMethod): string =>
  `The hash does not say its method: if it is not ${methodName(method)}, name it by --method.`;

function unnamed(text: string): WrittenHash | undefined {
  const read = readStoredHash({ method: usualMethod, hash: text });
  return typeof read === "string" ? undefined : { ...read, assumed: true };
}

function printed(asked: HashMethod | undefined, bare: string, text: string): WrittenHash {
  const found = readPrintedHash(bare);
  if (found === undefined) throw unreadable(text, "there is no hash in it, or several");
  const { digits, method: named } = found;
  const method = asked ?? named;
  const read = readStoredHash({ method: method ?? "", hash: digits });
  if (typeof read !== "string" && (named ?? method) === method) return { ...read, assumed: false };
  if (method !== undefined) throw unreadable(text, `it is no ${methodName(method)} hash`);
  const usual = unnamed(digits);
  if (usual !== undefined) return usual;
  const fitting = methodsOfLength(digits);
  const names = fitting.map(methodName).join(", ");
  throw unreadable(
    text,
    fitting.length === 0
      ? "no method has hashes of this length"
      : `it does not say its method, so name it by --method: ${names}`,
  );
}

/** Where IPFS and its gateways keep a file, before the CID. */
const ipfsPlace = /^(?:ipfs:\/\/|\/ipfs\/|https?:\/\/[^/]{1,255}\/ipfs\/)/i;

/** CIDs of trees of blocks: of version 0, and of version 1 in its usual alphabet. */
const contentId = /^(?:Qm[1-9A-HJ-NP-Za-km-z]{44}|baf[a-z2-7]{56})(?:[/?#]|$)/;

/** Longest text that a message repeats, in UTF-16 units. */
const longestShown = 100;

function unreadable(text: string, why: string): Problem {
  const shown = text.length > longestShown ? `${text.slice(0, longestShown)}…` : text;
  return misuse("hash-not-readable", `${printable(shown)} cannot be compared: ${why}.`);
}
