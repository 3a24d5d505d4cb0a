/** The document breaks a rule of reading, so nothing in it can be checked. */
export class NotReadable extends Error {
  override readonly name = "NotReadable";
}

const MAX_BYTES = 4 * 1024 * 1024;
const MAX_DEPTH = 8;
const MAX_VALUES = 50_000;

/** Tokens of a text that is JSON already: space, one mark, a string, or a number or literal. */
const token = /[ \t\r\n]+|[{}[\]:,]|"[^"\\]*(?:\\.[^"\\]*)*"|[^ \t\r\n{}[\]:,"]+/g;

/** A number as it is written. */
export class Digits {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Reviver = (key: string, value: unknown, context: { source?: string }) => unknown;
const keepDigits: Reviver = (_, value, { source = "" }) =>
  typeof value === "number" ? new Digits(source) : value;

/**
 * The value of a JSON text: its grammar by the engine, and by its tokens what the engine lets pass.
 * @throws NotReadable
 */
export function readJson(bytes: Uint8Array): unknown {
  if (bytes.length > MAX_BYTES) throw new NotReadable("it is longer than 4 MiB");
  let text: string;
  let value: unknown;
  try {
    // Ignores one byte order mark.
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    value = JSON.parse(text, keepDigits as (key: string, value: unknown) => unknown);
  } catch (error) {
    throw new NotReadable("it is not JSON in UTF-8", { cause: error });
  }
  checkTokens(text);
  return value;
}

function checkTokens(text: string): void {
  /** For each object or list around the token: the names so far, or null in a list. */
  const around: (Set<string> | null)[] = [];
  let values = 0;
  /** The last string, until the token behind it tells whether it is a name. */
  let last: string | undefined;
  const countValue = () => {
    values += 1;
    if (values > MAX_VALUES) throw new NotReadable("it has too many values");
    if (around.length >= MAX_DEPTH) throw new NotReadable("it is nested too deep");
  };
  for (const [part] of text.matchAll(token)) {
    if (/^[ \t\r\n]/.test(part)) continue;
    if (last !== undefined) {
      if (part === ":") addName(around.at(-1), last);
      else countValue();
      last = undefined;
    }
    if (part.startsWith('"')) last = JSON.parse(part);
    else if (part === "}" || part === "]") around.pop();
    else if (part !== ":" && part !== ",") {
      countValue();
      if (part === "{" || part === "[") around.push(part === "{" ? new Set() : null);
    }
  }
  if (last !== undefined) countValue();
}

function addName(names: Set<string> | null | undefined, name: string): void {
  if (!names || names.has(name)) throw new NotReadable(`two members are called ${name}`);
  names.add(name);
}
