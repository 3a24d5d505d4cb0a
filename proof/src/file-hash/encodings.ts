/** Decoders of the alphabets in which digests are written. Callers bound the length of the text. */

const hexOf = (bytes: ArrayLike<number>): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

export const isHex = (text: string): boolean => /^[0-9a-f]+$/i.test(text);

/** Base64 or Base64url, with its padding or without: its digits as hex, and how many Base64 digits they were. */
export function hexOfBase64(text: string): { hex: string; length: number } | undefined {
  const [, digits] = /^([A-Za-z0-9+/_-]+)={0,2}$/.exec(text) ?? [];
  if (digits === undefined || digits.length % 4 === 1) return undefined;
  const bytes = atob(digits.replaceAll("-", "+").replaceAll("_", "/"));
  return { hex: hexOf(Array.from(bytes, (byte) => byte.charCodeAt(0))), length: digits.length };
}

/** Base32 (RFC 4648) in either case, with its padding or without, as hex. */
export function hexOfBase32(text: string): string | undefined {
  const [, digits] = /^([a-z2-7]+)={0,6}$/i.exec(text) ?? [];
  if (digits === undefined) return undefined;
  const bytes: number[] = [];
  let bits = 0;
  let held = 0;
  for (const digit of digits.toLowerCase()) {
    bits = ((bits << 5) | "abcdefghijklmnopqrstuvwxyz234567".indexOf(digit)) & 0xfff;
    held += 5;
    if (held < 8) continue;
    held -= 8;
    bytes.push((bits >> held) & 0xff);
  }
  return hexOf(bytes);
}

const base58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
/** Longest text of base58 that is read, in characters: a multihash of 64 bytes has 91. Reading is quadratic. */
const longestBase58 = 100;

/** base58btc, as hex. */
export function hexOfBase58(text: string): string | undefined {
  if (text.length > longestBase58) return undefined;
  const bytes: number[] = [];
  for (const digit of text) {
    let carry = base58.indexOf(digit);
    if (carry < 0) return undefined;
    for (let at = 0; at < bytes.length; at += 1) {
      carry += 58 * (bytes[at] as number);
      bytes[at] = carry & 0xff;
      carry >>= 8;
    }
    for (; carry > 0; carry >>= 8) bytes.push(carry & 0xff);
  }
  for (let at = 0; text[at] === "1"; at += 1) bytes.push(0);
  return hexOf(bytes.reverse());
}
