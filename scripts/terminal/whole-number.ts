/** Reads an option that must be a whole number; ends the program with a sentence where it is none. */
export function wholeNumber(name: string, text: string): number {
  if (/^\d{1,10}$/.test(text)) return Number(text);
  console.error(`--${name} must be a whole number, not ${text}`);
  process.exit(1);
}
