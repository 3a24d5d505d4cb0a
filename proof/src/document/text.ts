import { utf8 } from "../bytes/bytes.ts";
import { bounds } from "./bounds.ts";
import { ProofError } from "./error.ts";

const decoder = new TextDecoder("utf-8", { fatal: true });

const isLonger = "The document has more than 4 MiB: no proof does.";

/** Half of a surrogate pair, which has no form in UTF-8. */
export const hasLoneSurrogate = (text: string): boolean => /\p{Surrogate}/u.test(text);

/**
 * Text of a document that is given as text or as bytes in UTF-8, without a byte order mark in front.
 * @throws ProofError when it is too large, or no UTF-8
 */
export function documentText(document: string | Uint8Array): string {
  if (typeof document !== "string" && !(document instanceof Uint8Array)) {
    throw new ProofError("wrong-type", "The document must be given as text or as bytes.");
  }
  if (document.length > bounds.documentBytes) throw new ProofError("too-large", isLonger);
  if (typeof document !== "string") return decoded(document);
  if (hasLoneSurrogate(document)) throw new ProofError("not-utf8", "The document holds half of a character.");
  if (utf8(document).length > bounds.documentBytes) throw new ProofError("too-large", isLonger);
  return document.startsWith("\ufeff") ? document.slice(1) : document;
}

function decoded(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw new ProofError("not-utf8", "The document is not in UTF-8.");
  }
}
