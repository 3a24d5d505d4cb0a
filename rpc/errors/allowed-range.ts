import { longestSaid } from "./error-message.ts";

const patterns = [
  /(\d{1,7})[ -]?blocks?\b/i,
  /\bblocks?(?: range)?(?: is| are|:)? (?:limited to|greater than|larger than|exceeds?(?: the)?(?: limit)?(?: of)?)(?: max)? (\d{1,7})\b/i,
  /\brange(?: is| of|:)?(?: limited to| exceeds limit of| limit)? (\d{1,7})\b/i,
];

/**
 * The largest range in blocks that a provider names in a rejection. Only a hint: a range that is still rejected is halved.
 * @returns undefined where it names no smaller number than requested
 */
export function allowedRange(said: string, asked: number): number | undefined {
  const text = said.slice(0, longestSaid).replaceAll(/(?<=\d)[,_](?=\d{3})/g, "");
  const found = patterns
    .map((pattern) => Number(pattern.exec(text)?.[1] ?? Number.NaN))
    .filter((blocks) => blocks >= 1 && blocks < asked);
  return found.length === 0 ? undefined : Math.max(...found);
}
