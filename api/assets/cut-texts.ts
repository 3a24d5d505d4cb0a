import { type AssetDetails, type DetailField, detailFields } from "../../domain/asset/asset.ts";

/**
 * Truncates texts that are too long for an answer.
 * @param longest most code points of each text
 * @returns the texts, and the names of the truncated ones
 */
export function cutTexts(
  details: AssetDetails,
  longest: Readonly<Record<DetailField, number>>,
): { details: AssetDetails; cut: DetailField[] } {
  // Nearly always none: a text has no more code points than UTF-16 units.
  const long = detailFields.filter((field) => details[field].length > longest[field]);
  const shown = long.map((field) => [field, beginning(details[field], longest[field])] as const);
  const cut = shown.filter(([field, text]) => text.length < details[field].length).map(([field]) => field);
  return { details: cut.length === 0 ? details : { ...details, ...Object.fromEntries(shown) }, cut };
}

function beginning(text: string, codePoints: number): string {
  let end = 0;
  for (let count = 0; count < codePoints && end < text.length; count += 1) {
    end += (text.codePointAt(end) as number) > 0xffff ? 2 : 1;
  }
  return text.slice(0, end);
}
