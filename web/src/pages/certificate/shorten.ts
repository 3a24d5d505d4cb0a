import type { PublicAsset } from "asset-registry-client";
import type { AssetText } from "asset-registry-proof";
import { beginningOf, segmentsOf } from "../../parts/foreign-text.ts";

/** Characters of each text that one page has room for, so that all together fit even where each is as long. */
const room: Record<AssetText, number> = {
  name: 140,
  data: 180,
  fileName: 100,
  fileType: 40,
  fileSize: 40,
  method: 60,
  hash: 260,
  uri: 120,
};

/** Widths on paper, in small Latin letters. */
const widths = { code: 7, eastAsian: 2.2, other: 1.7 };
const firstEastAsian = 0x2e80;

/** A text as it is printed. */
type Printed = { field: AssetText; text: string; isWhole: boolean };

/** The texts that an asset has, each shortened to its room on the page; line breaks become spaces. */
export function printedTexts(asset: Pick<PublicAsset, AssetText>): Printed[] {
  return (Object.keys(room) as AssetText[])
    .filter((field) => asset[field] !== "")
    .map((field) => ({ field, ...shortened(asset[field], room[field]) }));
}

function shortened(text: string, most: number): Omit<Printed, "field"> {
  let [width, end] = [0, 0];
  // No more than `most` characters fit, of two UTF-16 units at most.
  for (const character of beginningOf(text, 2 * most).shown) {
    width += widthOf(character);
    if (width > most) break;
    end += character.length;
  }
  return { text: text.slice(0, end).replace(/[\t\n]/g, " "), isWhole: end === text.length };
}

function widthOf(character: string): number {
  if (/[a-ln-vx-z0-9 .,;:/-]/.test(character)) return 1;
  const [segment] = segmentsOf(character);
  // Marks that are too many for one letter show as codes, too.
  if ((segment !== undefined && "code" in segment) || /\p{M}/u.test(character)) return widths.code;
  return (character.codePointAt(0) ?? 0) < firstEastAsian ? widths.other : widths.eastAsian;
}
