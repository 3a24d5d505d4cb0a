/**
 * Normal forms of text without invisible characters, since people write and search for what they see.
 */

/**
 * Characters that are drawn as nothing or only stretch their neighbours: Unicode's default-ignorable ones (soft
 * hyphen, zero-width space and joiners, word joiner, marks of direction, variation selectors, byte order mark),
 * marks of annotations, and the letters that lengthen a line of Arabic (tatweel) and N'Ko.
 */
const ignorable = /[\p{Default_Ignorable_Code_Point}\ufff9-\ufffb\u0640\u07fa]/gu;

/** Whether a text is printable ASCII, which every form below leaves as it is. */
export const isPlainAscii = (text: string): boolean => /^[ -~]*$/.test(text);

/** The text in NFKC without invisible characters; at most 18 times as long as `text`. */
export function visibleText(text: string): string {
  if (isPlainAscii(text)) return text;
  return text.replace(ignorable, "").normalize("NFKC");
}

/** Hyphens, dashes and the minus sign, of which keyboards and word processors make each other. */
const dash = /[\p{Dash_Punctuation}\u2212]/gu;

/** `visibleText` with the ASCII hyphen for every dash. */
export const withPlainDashes = (text: string): string => visibleText(text).replace(dash, "-");
