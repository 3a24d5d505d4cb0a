import { type Address, type Hex, hexToBytes, isHex, size } from "viem";
import { type AssetText, assetTexts } from "../../proof/src/document/format.ts";

/** The texts of an asset, in the order of the registry's `AssetDetails` struct. An absent text is "". */
export const detailFields = assetTexts;
export type DetailField = AssetText;
export type AssetDetails = Record<DetailField, string>;

/** The texts of an asset as on the chain: arbitrary bytes, NUL and invalid UTF-8 included. */
export type RawDetails = Record<DetailField, Uint8Array>;

/** The content that an asset's id commits to. */
export type AssetContent = { author: Address; salt: Hex; details: AssetDetails };

/** `0x` and 64 lower-case hex digits. */
export type AssetId = Hex;

/** @returns the id in lower case, or undefined where the text is no id */
export function parseAssetId(text: string): AssetId | undefined {
  const lower = text.toLowerCase();
  return text.startsWith("0x") && isHex(lower) && size(lower) === 32 && lower.length === 66
    ? lower
    : undefined;
}

/** Builds a value for each text of an asset. */
export function mapDetails<Value>(build: (field: DetailField) => Value): Record<DetailField, Value> {
  return Object.fromEntries(detailFields.map((field) => [field, build(field)])) as Record<DetailField, Value>;
}

const strictUtf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const tolerantUtf8 = new TextDecoder("utf-8", { ignoreBOM: true });

/**
 * Reads a text from the chain.
 * @returns the text to show, and whether it is exact. Invalid UTF-8 shows as U+FFFD and NUL, which
 * PostgreSQL cannot hold, as U+2400; `exact` is false then and the bytes must be kept beside it.
 */
export function readText(bytes: Uint8Array | Hex): { text: string; exact: boolean } {
  const raw = typeof bytes === "string" ? hexToBytes(bytes) : bytes;
  try {
    const text = strictUtf8.decode(raw);
    if (!text.includes("\0")) return { text, exact: true };
  } catch {
    // Invalid UTF-8: decoded with replacement characters below.
  }
  return { text: tolerantUtf8.decode(withVisibleNul(raw)), exact: false };
}

/**
 * The texts of an asset word for word, NUL included.
 * @returns the texts, and the names of those that have none because they are no valid UTF-8
 */
export function exactTexts(
  details: AssetDetails,
  raw: RawDetails | undefined,
): { details: AssetDetails; inexact: DetailField[] } {
  if (raw === undefined) return { details, inexact: [] };
  const inexact: DetailField[] = [];
  const exact = mapDetails((field) => {
    try {
      return strictUtf8.decode(raw[field]);
    } catch {
      inexact.push(field);
      return details[field];
    }
  });
  return { details: exact, inexact };
}

/** U+2400, the picture of NUL, in UTF-8. */
const pictureOfNul = [0xe2, 0x90, 0x80];

/** Works on bytes: replacing millions of NULs in a string takes seconds. */
function withVisibleNul(raw: Uint8Array): Uint8Array {
  let count = 0;
  for (const byte of raw) if (byte === 0) count += 1;
  const shown = new Uint8Array(raw.length + 2 * count);
  let size = 0;
  for (const byte of raw) {
    if (byte === 0) for (const part of pictureOfNul) shown[size++] = part;
    else shown[size++] = byte;
  }
  return shown;
}
