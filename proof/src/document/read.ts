import type { Proof } from "./format.ts";
import { parseJson } from "./json.ts";
import { type ParsedProof, parseProof } from "./parse.ts";
import { documentText } from "./text.ts";

/**
 * Reads a proof document, as text or as bytes in UTF-8, bare or in the service's envelope `{"value": …}`. Nothing of
 * it is verified.
 * @throws ProofError when it is no document that docs/proof-format.md describes
 */
export function readProof(document: string | Uint8Array): Proof {
  const value = readValue(document);
  parseProof(value);
  return value as Proof;
}

/** Parses a proof document as `readProof` reads it. */
export const parseDocument = (document: string | Uint8Array): ParsedProof => parseProof(readValue(document));

function readValue(document: string | Uint8Array): unknown {
  const json = parseJson(documentText(document));
  return isEnvelope(json) ? json.value : json;
}

/** Whether a value is an object with `value` and perhaps `meta`. */
function isEnvelope(json: unknown): json is { value: unknown } {
  if (typeof json !== "object" || json === null || Array.isArray(json)) return false;
  const names = Object.keys(json);
  return names.includes("value") && names.every((name) => name === "value" || name === "meta");
}
