/**
 * Characters that a page shows as nothing, or that reorder or join their neighbours: controls but line breaks and tabs,
 * marks of direction, zero-width characters, unpaired surrogates and variation selectors.
 */
const hidden =
  /\p{Cc}|\p{Cf}|\p{Cs}|\p{Zl}|\p{Zp}|[\u115f\u1160\u3164\uffa0]|\u034f|[\u17b4\u17b5]|[\ufe00-\ufe0f]|[\u{e0100}-\u{e01ef}]/u;

/** Longest run of marks that stand on one letter; longer ones would cover the lines around it. */
const mostMarks = 4;
const marks = /\p{M}/u;

type Segment = { text: string } | { code: string };

/** Codes that stand alone; a text with more would be an element each, of which a page bears only so many. */
const mostCodes = 500;
/** Longest run of one code that is written out. */
const mostAlike = 4;

/**
 * A text of somebody else's in segments: what can be read as it is, and the code of each character that cannot. A run of
 * the same one is told by its count, and behind many codes they stand in brackets within the text.
 */
export function segmentsOf(text: string): Segment[] {
  const segments: Segment[] = [];
  let readable = "";
  let stacked = 0;
  let codes = 0;
  let run = { code: "", count: 0 };
  const add = (code: string) => {
    codes += 1;
    if (codes > mostCodes) {
      readable += `[${code}]`;
      return;
    }
    if (readable !== "") segments.push({ text: readable });
    readable = "";
    segments.push({ code });
  };
  const endRun = () => {
    const { code, count } = run;
    if (count > mostAlike) add(`${code} ×${count}`);
    else for (let one = 0; one < count; one += 1) add(code);
    run = { code: "", count: 0 };
  };
  for (const character of text) {
    stacked = marks.test(character) ? stacked + 1 : 0;
    const isPlain = character === "\n" || character === "\t" || !hidden.test(character);
    if (isPlain && stacked <= mostMarks) {
      endRun();
      readable += character;
      continue;
    }
    const code = codeOf(character);
    if (code !== run.code) endRun();
    run = { code, count: run.count + 1 };
  }
  endRun();
  if (readable !== "") segments.push({ text: readable });
  return segments;
}

function codeOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
}

/** The first `most` characters of a text, and how many there are in all; no character is cut in two. */
export function beginningOf(text: string, most: number): { shown: string; whole: boolean } {
  if (text.length <= most) return { shown: text, whole: true };
  const isHigh = /[\ud800-\udbff]/.test(text[most - 1] ?? "");
  return { shown: text.slice(0, isHigh ? most - 1 : most), whole: false };
}

/** The beginning of a name of somebody else's where no element can stand, as in a title: codes stand in brackets. */
export const readableName = (name: string): string => readable(beginningOf(name, 60).shown);

/** Words of somebody else's, such as a node's, within a sentence of this page: as `readableName`, and cut where they are long. */
export function readableWords(words: string): string {
  const { shown, whole } = beginningOf(words, 400);
  return whole ? readable(shown) : `${readable(shown)}…`;
}

const readable = (text: string): string =>
  segmentsOf(text)
    .map((segment) => ("text" in segment ? segment.text : `[${segment.code}]`))
    .join("");
