import type { Random } from "../../simulation/random.ts";

/** Changes how a JSON text is written, or what it is. */
type Rewriting = (json: string, random: Random) => string;

const put = (json: string, place: number, text: string, instead = 0) =>
  json.slice(0, place) + text + json.slice(place + instead);

const codeOf = (letter: string) => letter.charCodeAt(0).toString(16).padStart(4, "0");

const addSpace: Rewriting = (json, random) => {
  const { index } = random.pick([...json.matchAll(/[{}[\]:,]/g)]);
  return put(json, index + 1, random.pick([" ", "\n", "\r\n\t", "\v", "\f", "\u00a0", "\ufeff", "/**/"]));
};

const escapeLetter: Rewriting = (json, random) => {
  const { index, 0: letter } = random.pick([...json.matchAll(/(?<=["\w])[a-z]/g)]);
  const code = codeOf(letter);
  const escapes = [`\\u${code}`, `\\u${code.toUpperCase()}`, `\\U${code}`, `\\u{${code}}`, "\\/", "\\x41"];
  return put(json, index, random.pick(escapes), 1);
};

const duplicateMember: Rewriting = (json, random) => {
  const {
    index,
    0: member,
    1: name = "",
    2: value,
  } = random.pick([...json.matchAll(/"(\w+)":("[^"\\]*"|\d+)/g)]);
  const escaped = `\\u${codeOf(name)}${name.slice(1)}`;
  const copies = [member, `"${name}":0`, `"${escaped}":${value}`, `"${name.toUpperCase()}":${value}`];
  return put(json, index, `${random.pick(copies)},`);
};

const renameMember: Rewriting = (json, random) => {
  const { index, 1: name = "" } = random.pick([...json.matchAll(/"(\w+)":/g)]);
  const names = [
    name.toUpperCase(),
    `${name} `,
    "__proto__",
    "constructor",
    "",
    `\\u${codeOf(name)}${name.slice(1)}`,
  ];
  return put(json, index + 1, random.pick(names), name.length);
};

const rewriteNumber: Rewriting = (json, random) => {
  const { index, 1: digits = "" } = random.pick([...json.matchAll(/":(\d+)/g)]);
  const numbers = [
    `${digits}.0`,
    `${digits}e0`,
    `0${digits}`,
    `+${digits}`,
    `-${digits}`,
    "-0",
    "1e3",
    "NaN",
  ];
  const others = [`${digits}${"0".repeat(16)}`, `"${digits}"`, "9007199254740991", "9007199254740992", "0x1"];
  return put(json, index + 2, random.pick([...numbers, ...others]), digits.length);
};

const wrap: Rewriting = (json, random) => {
  const depth = random.whole(0, 12);
  const meta = random.pick([
    ...[`${"[".repeat(depth)}${"]".repeat(depth)}`, `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`, "1.5"],
    ...["-1e400", '"\\ud800"', '{"\\udc00":1}', '{"a":1,"\\u0061":2}', "12345678901234567890", "01"],
    ...[`[${"0,".repeat(49_000)}0]`, `[${"0,".repeat(51_000)}0]`],
  ]);
  return random.pick([
    ...[`{"meta":${meta},"value":${json}}`, `{"value":${json},"meta":${meta}}`, `{"value":${json}}`],
    ...[`{"value":${json},"value":${json}}`, `{"value":{"value":${json}}}`, `{"value":${json},"error":null}`],
    ...[`{"meta":${meta}}`, `{"meta":1,"meta":1,"value":${json}}`, `[${json}]`],
  ]);
};

const surround: Rewriting = (json, random) =>
  random.pick([
    ...[`\ufeff${json}`, `\ufeff\ufeff${json}`, `${json}\ufeff`, `${json}\n`, `${json},`, `${json}${json}`],
    ...[`//\n${json}`, `'${json}'`, `${json}${" ".repeat(4 * 1024 * 1024)}`],
  ]);

/** Writes a document as another JSON text, or as none. */
export const rewrite: Rewriting = (json, random) =>
  random.pick([
    ...[addSpace, escapeLetter, escapeLetter, duplicateMember, duplicateMember, renameMember],
    ...[rewriteNumber, wrap, wrap, surround],
  ])(json, random);
