import { ConnectionError, RegistryError } from "asset-registry-client";
import { readableWords } from "../parts/foreign-text.ts";
import { texts } from "../texts/texts.ts";

/** Why the service gave no answer, and the next step. */
export function problemInWords(error: unknown): string {
  const words = texts.service;
  if (error instanceof ConnectionError) return words.unreachable;
  if (!(error instanceof RegistryError)) return words.unexpected;
  if (error.code === "RATE_LIMITED") return words.tooMany;
  return words.refused(readableWords(error.message));
}
