/** Combining dot above, which the small letter of the Turkish capital dotted I has. */
const dottedI = /i\u0307/g;

/**
 * Full case folding (Unicode, CaseFolding.txt, statuses C and F): "STRASSE", "Straße" and "STRAẞE" are one, and so
 * are all forms of sigma. Beyond it, the four letters i of Turkish (I, ı, İ, i) are one too: whoever searches may
 * have another keyboard than the author.
 */
export function foldCase(text: string): string {
  // Through capitals and back, since some small letters have no capital and some capitals two letters.
  const folded = text.toLowerCase().toUpperCase().toLowerCase();
  return folded.replaceAll("ς", "σ").replace(dottedI, "i");
}
