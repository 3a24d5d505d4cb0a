import { existsSync, readFileSync } from "node:fs";
import { basename } from "node:path";

import { Problem } from "./problem.mjs";

const MOST_BYTES = 1024 * 1024;

/**
 * The settings of a file of lines NAME=value, as Node's own `--env-file` reads it, but for what that leaves out or
 * cuts without a word: other encodings and byte order marks are read, and a line that has no clear meaning is refused.
 * No message repeats a value, for it may be a secret.
 */
export function readSettingsFile(file) {
  if (!existsSync(file)) return {};
  const name = basename(file);
  return parseSettings(decode(bytesOf(file, name), name), name);
}

function bytesOf(file, name) {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new Problem(`${name} cannot be read (${error.code}).`);
  }
}

function decode(bytes, name) {
  if (bytes.length > MOST_BYTES) throw new Problem(`${name} is larger than 1 MiB.`);
  const encoding = encodingOf(bytes);
  try {
    // The mark at the beginning is left out.
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes);
    if (!text.includes("\0")) return text.replaceAll(/\r\n?/g, "\n");
  } catch {
    // Said below.
  }
  throw new Problem(`${name} is not a text in UTF-8 or UTF-16. Save it as UTF-8.`);
}

/** PowerShell and Notepad write UTF-16, with a mark at the beginning or without. */
function encodingOf(bytes) {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return "utf-16le";
  if (first === 0xfe && second === 0xff) return "utf-16be";
  if (first !== 0 && second === 0) return "utf-16le";
  return first === 0 && second !== 0 ? "utf-16be" : "utf-8";
}

function parseSettings(text, name) {
  const settings = {};
  const lines = text.split("\n");
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at].trim();
    if (line === "" || line.startsWith("#")) continue;
    const where = `${name}, line ${at + 1}`;
    const [, key, rest] = /^(?:export\s+)?([A-Za-z_][\w.-]*)\s*=(.*)$/.exec(line) ?? [];
    if (key === undefined) throw new Problem(`${where}: this is not of the form NAME=value.`);
    const start = rest.trim();
    const quote = /^["'`]/.exec(start)?.[0];
    if (quote === undefined) settings[key] = plainValue(start, `${where}: ${key}`);
    else {
      let value = start.slice(1);
      // A value in quotation marks may go on over lines.
      while (!value.includes(quote) && at + 1 < lines.length) value += `\n${lines[++at]}`;
      settings[key] = quotedValue(value, quote, `${where}: ${key}`);
    }
  }
  return settings;
}

function plainValue(text, where) {
  if (/^[\u2018-\u201f\u00ab]/.test(text)) {
    throw new Problem(`${where} begins with a typographic quotation mark. Use " or '.`);
  }
  const comment = /(?:^|\s)#/.exec(text);
  const value = (comment === null ? text : text.slice(0, comment.index)).trim();
  if (!value.includes("#")) return value;
  throw new Problem(
    `${where} has a # in it. Put the value into quotation marks, or a space before a comment.`,
  );
}

function quotedValue(text, quote, where) {
  const end = text.indexOf(quote);
  if (end === -1) throw new Problem(`${where} has no quotation mark at its end.`);
  const behind = text.slice(end + 1).trim();
  if (behind !== "" && !behind.startsWith("#")) {
    throw new Problem(
      `${where} goes on behind its quotation marks. Put a value with ${quote} in it into others.`,
    );
  }
  const value = text.slice(0, end);
  return quote === '"' ? value.replaceAll("\\n", "\n") : value;
}
