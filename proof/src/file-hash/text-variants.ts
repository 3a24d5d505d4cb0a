import { concat, equal } from "../bytes/bytes.ts";

/** A text in other bytes, and in words what they are. */
export type TextVariant = { words: string; bytes: Uint8Array };

/** Most bytes of a file of which there are variants: texts are small. */
export const mostVariantBytes = 16 * 1024 * 1024;

const mark = Uint8Array.of(0xef, 0xbb, 0xbf);
const [lineFeed, carriageReturn] = [0x0a, 0x0d];

/**
 * A text file as other programs would have written it: with other line ends, with a byte order mark or without one. They
 * explain why a file does not match, and never make it match. There are none of an empty, large or binary file: a zero
 * byte is in no text of a usual encoding but UTF-16.
 */
export function* textVariants(bytes: Uint8Array): Generator<TextVariant> {
  if (bytes.length === 0 || bytes.length > mostVariantBytes || bytes.includes(0)) return;
  const hasMark = equal(bytes.subarray(0, mark.length), mark);
  const text = hasMark ? bytes.subarray(mark.length) : bytes;
  const lines = withLineFeeds(text);
  const tried: Uint8Array[] = [];
  for (const [body, ends] of [
    [text, "the same line ends"],
    [lines, "LF line ends"],
    [withReturns(lines), "CRLF line ends"],
  ] as const) {
    if (tried.some((other) => equal(other, body))) continue;
    tried.push(body);
    for (const withMark of [hasMark, !hasMark]) {
      if (body === text && withMark === hasMark) continue;
      const words = `${ends} and ${withMark ? "a" : "no"} byte order mark`;
      yield { words, bytes: withMark ? concat(mark, body) : body };
    }
  }
}

/** The bytes without each carriage return that stands before a line feed. */
function withLineFeeds(bytes: Uint8Array): Uint8Array {
  return bytes.filter((byte, at) => byte !== carriageReturn || bytes[at + 1] !== lineFeed);
}

/** The bytes with a carriage return before each line feed. */
function withReturns(bytes: Uint8Array): Uint8Array {
  const feeds = bytes.reduce((count, byte) => count + (byte === lineFeed ? 1 : 0), 0);
  const all = new Uint8Array(bytes.length + feeds);
  let at = 0;
  for (const byte of bytes) {
    if (byte === lineFeed) all[at++] = carriageReturn;
    all[at++] = byte;
  }
  return all;
}
