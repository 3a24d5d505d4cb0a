import { setImmediate as turn } from "node:timers/promises";

const ascii = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code));
/** Characters that make texts grow, that no reader sees, or that are no text at all. */
const others = [
  ...["\u0130", "\ufdfa", "\u00df", "\u03a3", "\u0301", "a\u0301\u0323", "\u1112\u1161\u11ab", "\uff0d"],
  ...["\u00ad", "\u200b", "\u200d", "\u2060", "\ufeff", "\u0640", "\u2028", "\ud800", "\udc00", "\u{1f600}"],
];
/** Small groups that are repeated as a whole: what one part of a pattern ends is what its next part begins with. */
const groups = [
  ...["; ", ";a=", '="', '\\"', '",', "a=b;", "a,", ", ", "a-", "a:", ": ", "=:", "%20", "%f0%9f", "\\u0000"],
  ...[
    "0x",
    "00",
    "f9ffff",
    "c1",
    "[[",
    "{}",
    '{"a":',
    "[{",
    "()",
    "a (",
    ") =",
    "//",
    "/a",
    "::",
    "1.",
    ".1",
    "e1",
  ],
  ...[
    "\r\n",
    " \t",
    "\n ",
    "Aa",
    "1-",
    "T0",
    "sha256-",
    "sha256:",
    "range ",
    "gas limit ",
    "block range ",
    "exceed ",
  ],
];

/** What is quadratic is given up at the first of these lengths; a quarter of a megabyte of it would take minutes. */
const [short, long] = [64_000, 250_000];

/**
 * Milliseconds that a run may take: far more than any of them does, and far less than a quadratic one takes at the
 * first length. Another process may hold up a run, but hardly three in a row.
 */
const [most, tries] = [300, 3];

/** Each text that is repeated, up to the greater length: made once, for it takes longer than most runs. */
const repetitions = new Map<string, string>();

function repeated(unit: string): string {
  const known = repetitions.get(unit);
  if (known !== undefined) return known;
  const made = unit.repeat(Math.ceil(long / unit.length));
  repetitions.set(unit, made);
  return made;
}

/** Gives back the memory of the texts. */
export function forgetTexts(): void {
  repetitions.clear();
}

/**
 * Runs a function with a quarter of a megabyte of each character, and with shorter texts of small groups and behind
 * what is meant, which lead deeper into a pattern; most end with what makes a pattern fail.
 * @param longest characters beyond which no text comes to the function
 * @returns the text that took too long, in words; undefined where none did
 */
export async function slowText(
  run: (text: string) => unknown,
  beginnings: readonly string[] = [],
  longest = Number.POSITIVE_INFINITY,
): Promise<string | undefined> {
  const singles = [...ascii, ...others];
  for (const unit of [...singles, ...groups]) {
    const tried: [beginning: string, length: number, end: string][] = [
      ["", short, ""],
      ...["", ...beginnings].map((beginning): [string, number, string] => [beginning, short, "!"]),
      ...(singles.includes(unit) ? [["", long, "!"] as [string, number, string]] : []),
    ];
    for (const [beginning, wanted, end] of tried) {
      const length = Math.min(wanted, longest);
      const took = await timeOf(run, beginning + repeated(unit).slice(0, length) + end);
      if (took <= most) continue;
      const parts = [beginning, unit, end].map((part) => JSON.stringify(part)).join(" + ");
      return `${parts} with ${length} characters took ${Math.round(took)} ms`;
    }
    await turn();
  }
  return undefined;
}

/** The shortest of a few runs; of the first, where that is short enough. */
async function timeOf(run: (text: string) => unknown, text: string): Promise<number> {
  let shortest = Number.POSITIVE_INFINITY;
  for (let tried = 0; tried < tries && shortest > most; tried += 1) {
    const since = performance.now();
    try {
      await run(text);
    } catch {
      // A refusal is an answer, too; only its time matters here.
    }
    const took = performance.now() - since;
    shortest = Math.min(shortest, took);
    // No other process holds up a run for so long.
    if (took > 10 * most) break;
  }
  return shortest;
}
