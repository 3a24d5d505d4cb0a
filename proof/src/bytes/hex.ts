const digits = "0123456789abcdef";

/** Bytes as `0x` and lower-case digits. */
export function toHex(bytes: Uint8Array): string {
  let hex = "0x";
  for (const byte of bytes) hex += `${digits[byte >> 4]}${digits[byte & 15]}`;
  return hex;
}

/**
 * Bytes of `0x` and an even number of lower-case hex digits, so that bytes have one spelling alone.
 * @returns undefined where the text is none
 */
export function fromHex(text: string): Uint8Array | undefined {
  if (!text.startsWith("0x") || text.length % 2 !== 0) return undefined;
  const bytes = new Uint8Array(text.length / 2 - 1);
  for (let at = 0; at < bytes.length; at += 1) {
    const high = digitOf(text.charCodeAt(2 * at + 2));
    const low = digitOf(text.charCodeAt(2 * at + 3));
    if (high < 0 || low < 0) return undefined;
    bytes[at] = high * 16 + low;
  }
  return bytes;
}

/** Value of a digit by its code; negative for any other character. */
function digitOf(code: number): number {
  if (code >= 48 && code <= 57) return code - 48;
  return code >= 97 && code <= 102 ? code - 87 : -1;
}
