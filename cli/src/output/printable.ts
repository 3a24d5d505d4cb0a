/** Runs of characters that could move the cursor, colour or reorder what a terminal shows, or hide in it. */
const invisible = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu;

/** A text of somebody else's for a terminal: what it does not show is written as an escape, such as `\u{1b}`. */
export function printable(text: string): string {
  return text.replace(invisible, (run) => {
    let escapes = "";
    for (const character of run) escapes += `\\u{${character.codePointAt(0)?.toString(16)}}`;
    return escapes;
  });
}

/** The same value with each text in it made printable. */
export function allPrintable<Value>(value: Value): Value {
  if (typeof value === "string") return printable(value) as Value;
  if (Array.isArray(value)) return value.map(allPrintable) as Value;
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).map(([name, member]) => [name, allPrintable(member)]);
  return Object.fromEntries(members) as Value;
}

/** A value as JSON, on several lines unless `indent` is 0, in which every other invisible character is an escape of JSON's own. */
export function printableJson(value: unknown, indent = 2): string {
  const json = JSON.stringify(value, undefined, indent);
  return json.replace(invisible, (run) => {
    let escapes = "";
    for (let at = 0; at < run.length; at += 1) {
      escapes += run[at] === "\n" ? "\n" : `\\u${run.charCodeAt(at).toString(16).padStart(4, "0")}`;
    }
    return escapes;
  });
}
