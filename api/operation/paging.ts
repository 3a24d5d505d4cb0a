import { z } from "zod";
import type { Envelope } from "../../domain/envelope.ts";
import { limits } from "../../domain/limits.ts";
import { invalidRequest } from "./parse.ts";

/** Paging parameters of every list. */

/** A parameter that may be given once; Node parses a repeated one as a list. */
export function oneText(wanted: string) {
  return z.string({
    error: ({ input }) => (Array.isArray(input) ? "must be given once" : `must be ${wanted}`),
  });
}

function wholeNumber(max: number) {
  return oneText("a whole number")
    .transform((given, context): number => {
      const number = /^[0-9]{1,9}$/.test(given) ? Number(given) : 0;
      if (number >= 1 && number <= max) return number;
      context.addIssue(`must be a whole number from 1 to ${max}`);
      return z.NEVER;
    })
    .meta({ type: "integer", minimum: 1, maximum: max });
}

const { page: pageLimits } = limits;

export const pagingQuery = {
  size: wholeNumber(pageLimits.max)
    .optional()
    .meta({ description: `Most entries of a page: ${pageLimits.default} where it is left out` }),
  page: wholeNumber(pageLimits.deepest).optional().meta({
    description:
      "Number of the page, from 1. Entries that arrive meanwhile move the pages: a cursor neither misses nor repeats one",
  }),
  cursor: oneText("a cursor")
    .min(1, "must not be empty")
    .max(1_000, "is too long to be a cursor")
    .optional()
    .meta({ description: "`meta.next` of the page before; not together with `page`" }),
};

type Meta = NonNullable<Envelope["meta"]>;
export type Asked = { size?: number | undefined; page?: number | undefined; cursor?: string | undefined };

/** `page` is undefined with a cursor; `skip` counts the entries before the page. */
export type Paging = { size: number; page: number | undefined; skip: number; cursor: string | undefined };

/** @throws ApiError INVALID_REQUEST where page and cursor are both given, or the page is too deep */
export function pagingOf({ size = pageLimits.default, page, cursor }: Asked): Paging {
  if (cursor !== undefined) {
    if (page === undefined) return { size, page, skip: 0, cursor };
    throw invalidRequest([{ field: "page", message: "cannot be given together with cursor" }]);
  }
  const number = page ?? 1;
  if (number * size <= pageLimits.deepest) {
    return { size, page: number, skip: (number - 1) * size, cursor };
  }
  const message = `must end within the first ${pageLimits.deepest} entries: go on with cursor`;
  throw invalidRequest([{ field: "page", message }]);
}

/** Paging in an answer: `size` is the number of entries, `next` the cursor of the next page. */
export function pageMeta(size: number, { page }: Paging, next: string | undefined): Meta {
  return { size, ...(page === undefined ? {} : { page }), ...(next === undefined ? {} : { next }) };
}

/**
 * How many of the first entries fit into one answer as JSON (`limits.answerBytes`), one in any case, and how many bytes
 * these have.
 */
export function entriesThatFit(entries: readonly unknown[]): { count: number; bytes: number } {
  let bytes = 0;
  for (const [count, entry] of entries.entries()) {
    const more = entry === undefined ? 0 : Buffer.byteLength(JSON.stringify(entry));
    if (bytes + more > limits.answerBytes && bytes > 0) return { count, bytes };
    bytes += more;
  }
  return { count: entries.length, bytes };
}
