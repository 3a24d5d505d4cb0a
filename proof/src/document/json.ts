import { bounds } from "./bounds.ts";
import { ProofError } from "./error.ts";

/** What JSON can hold; objects have no prototype, so that no name of a member means anything by itself. */
export type Json = null | boolean | number | string | Json[] | { [member: string]: Json };

/**
 * Parses JSON in one pass, with bounds on its depth and on the number of its values. Members of one name in an object
 * are refused, of which `JSON.parse` keeps the last and other programs the first. A number that is no plain safe
 * integer in decimal digits is NaN.
 * @throws ProofError
 */
export function parseJson(text: string): Json {
  let at = 0;
  let values = 0;

  const document = value(1);
  skipSpace();
  if (at < text.length) throw malformed();
  return document;

  function value(depth: number): Json {
    values += 1;
    if (depth > bounds.depth)
      throw new ProofError("too-deep", `Values are nested more than ${bounds.depth} deep.`);
    if (values > bounds.values)
      throw new ProofError("too-large", `There are more than ${bounds.values} values.`);
    skipSpace();
    switch (text[at]) {
      case "{":
        return object(depth);
      case "[":
        return array(depth);
      case '"':
        return string();
      default:
        return literal();
    }
  }

  function object(depth: number): Json {
    const members: { [member: string]: Json } = Object.create(null);
    list("}", () => {
      skipSpace();
      if (text[at] !== '"') throw malformed();
      const name = string();
      if (name in members) throw new ProofError("duplicate-member", `${shown(name)} is there twice.`);
      skipSpace();
      expect(":");
      members[name] = value(depth + 1);
    });
    return members;
  }

  function array(depth: number): Json {
    const items: Json[] = [];
    list("]", () => items.push(value(depth + 1)));
    return items;
  }

  /** Reads what stands between brackets, with commas between. */
  function list(end: string, readOne: () => void): void {
    at += 1;
    skipSpace();
    if (text[at] === end) {
      at += 1;
      return;
    }
    for (;;) {
      readOne();
      skipSpace();
      if (text[at] === end) break;
      expect(",");
    }
    at += 1;
  }

  function string(): string {
    const start = at;
    at += 1;
    for (let code = text.charCodeAt(at); code !== quote; code = text.charCodeAt(at)) {
      // Behind the end stands NaN.
      if (!(code >= 0x20)) throw malformed();
      at += code === backslash ? 2 : 1;
    }
    at += 1;
    const token = text.slice(start, at);
    if (!token.includes("\\")) return token.slice(1, -1);
    try {
      return JSON.parse(token);
    } catch {
      throw malformed(start);
    }
  }

  function literal(): Json {
    const start = at;
    while (/[-+.\w]/.test(text[at] ?? "")) at += 1;
    const token = text.slice(start, at);
    if (token === "null") return null;
    if (token === "true" || token === "false") return token === "true";
    if (!/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?$/.test(token)) throw malformed(start);
    const number = Number(token);
    return Number.isSafeInteger(number) && String(number) === token ? number : Number.NaN;
  }

  function skipSpace(): void {
    while (text[at] === " " || text[at] === "\n" || text[at] === "\r" || text[at] === "\t") at += 1;
  }

  function expect(character: string): void {
    if (text[at] !== character) throw malformed();
    at += 1;
  }

  function malformed(place = at): ProofError {
    const where = place < text.length ? `at character ${place + 1}` : "at its end, as if it were cut off";
    return new ProofError("not-json", `The document is no JSON ${where}.`);
  }
}

const quote = 0x22;
const backslash = 0x5c;

/** A member in an error; its name may be anything, and is repeated only where it is a plain one. */
const shown = (name: string): string => (/^\w{1,40}$/.test(name) ? `The member ${name}` : "A member");
