import { longestSaid } from "./refusal.ts";

const patterns = [
  /(\d{1,7})[ -]?blocks?\b/i,
  /\bblocks?(?: range)?(?: is| are|:)? (?:limited to|greater than|larger than|exceeds?(?: the)?(?: limit)?(?: of)?)(?: max)? (\d{1,7})\b/i,
  /\brange(?: is| of|:)?(?: limited to| exceeds limit of| limit)? (\d{1,7})\b/i,
];

/**
 * Blocks in a range that a provider says it allows. It is a hint and no more: what is refused all the same is halved.
 * @returns undefined where it names no number that is smaller than what was asked
 */
export function allowedRange(said: string, asked: number): number | undefined {
  const text = said.slice(0, longestSaid).replaceAll(/(?<=\d)[,_](?=\d{3})/g, "");
  const found = patterns
    .map((pattern) => Number(pattern.exec(text)?.[1] ?? Number.NaN))
    .filter((blocks) => blocks >= 1 && blocks < asked);
  return found.length === 0 ? undefined : Math.max(...found);
}
