import type { Transaction } from "asset-registry-client";
import { RequestError } from "./sign-request.ts";

/**
 * The request as it was read anew, where it is still what its author was shown: a request never changes what it asks for.
 * @param shown undefined where nothing was shown yet
 * @throws RequestError
 */
export function requireSame(id: string, shown: Transaction | undefined, read: Transaction): Transaction {
  const isAsked = read.id.toLowerCase() === id.toLowerCase();
  if (!isAsked || (shown !== undefined && !asksTheSame(shown, read))) throw new RequestError("CHANGED");
  return read;
}

function asksTheSame(shown: Transaction, read: Transaction): boolean {
  return (
    wordsOf(shown) === wordsOf(read) &&
    // Nobody is bound for longer than they read.
    Date.parse(read.expiresAt) <= Date.parse(shown.expiresAt)
  );
}

/** Everything that is asked for; that the bytes say the same is checked before each signature. */
const wordsOf = ({ kind, signer, assetId, call }: Transaction): string =>
  JSON.stringify([kind, signer, assetId, call], sorted);

/** Members of objects by their names, whatever their order in the answer. */
const sorted = (_: string, value: unknown): unknown =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
    : value;
