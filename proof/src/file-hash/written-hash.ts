/**
 * The forms in which people and programs write a hash, split into the method's name and the value. Callers bound the
 * length of the text.
 */

/**
 * A value, and the name before it where there is one. `certain` where the form leaves no doubt that it is a name;
 * otherwise it is one only if it means something.
 */
export type WrittenHash = { name: string | undefined; value: string; certain: boolean };

/** All readings of a text, the likeliest first. */
export function writtenHashes(text: string): WrittenHash[] {
  const whole = uri(text) ?? tagLine(text) ?? sumLine(text) ?? braces(text);
  if (whole !== undefined) return [whole];
  const field = text.replace(/^(content-|repr-|want-)?digest:\s/i, "");
  return [...named(field), { name: undefined, value: field.trim(), certain: false }, ...listed(field)];
}

/** RFC 6920 (`ni:`, `nih:` and their place on a web server), `urn:sha1:…`, `urn:hash::sha256:…`, `hash://sha256/…` */
function uri(text: string): WrittenHash | undefined {
  const [scheme = ""] = text.split(":", 1);
  const rest = text.slice(scheme.length + 1).split("?", 1)[0] ?? "";
  switch (scheme.toLowerCase()) {
    case "ni":
      // Behind `//` stands an authority, which may be empty.
      return parted(rest.startsWith("//") ? rest.slice(rest.indexOf("/", 2) + 1) : rest, ";");
    case "nih":
      return parted(rest, ";");
    case "hash":
      return rest.startsWith("//") ? parted(rest.slice(2), "/") : undefined;
    case "urn":
      return parted(rest.replace(/^hash::?/i, ""), ":");
    case "http":
    case "https": {
      const place = rest.indexOf(wellKnown);
      return place < 0 ? undefined : parted(rest.slice(place + wellKnown.length), "/");
    }
    default:
      return undefined;
  }
}

const wellKnown = "/.well-known/ni/";

/** After a second separator there may be something else, such as the check digit of `nih`. */
function parted(text: string, separator: string): WrittenHash {
  const [name = "", value = ""] = text.split(separator, 2);
  return { name, value, certain: true };
}

/** `SHA256 (file.pdf) = …`, as BSD and `sha256sum --tag` write it, and OpenSSL without spaces. */
function tagLine(text: string): WrittenHash | undefined {
  const [open, close] = [text.indexOf("("), text.lastIndexOf(")")];
  const behind = text.slice(close + 1).trimStart();
  if (open < 1 || close < open || !behind.startsWith("=")) return undefined;
  return {
    name: text.slice(0, open).replace(/^\\/, "").trim(),
    value: behind.slice(1).trim(),
    certain: true,
  };
}

/** `…  file.pdf` and `… *file.pdf`, as `sha256sum` writes it, with a backslash in front where it escapes the name. */
function sumLine(text: string): WrittenHash | undefined {
  const [, value] = /^\\?([0-9a-f]{32,128})[ \t]/i.exec(text) ?? [];
  if (value === undefined || /[\r\n]/.test(text)) return undefined;
  return { name: undefined, value, certain: false };
}

/** `{SHA256}…`, as directories (LDAP) keep it. */
function braces(text: string): WrittenHash | undefined {
  const close = text.indexOf("}");
  if (!text.startsWith("{") || close < 0) return undefined;
  return { name: text.slice(1, close), value: text.slice(close + 1).trim(), certain: true };
}

/** Longest name with its separator. */
const longestName = 24;

/** Names of methods and Base64 may hold the separator themselves, so each one is tried as the end of the name. */
function named(text: string): WrittenHash[] {
  return Array.from(text.slice(0, longestName).matchAll(/[:= -]/g), ({ index }) => ({
    name: text.slice(0, index),
    value: valuePart(text.slice(index + 1).trim()),
    certain: false,
  }));
}

/** Without the colons around a binary value of RFC 9651, its parameters, and the options of an integrity attribute. */
function valuePart(text: string): string {
  if (!text.startsWith(":")) return text.split("?", 1)[0] ?? "";
  const end = text.indexOf(":", 1);
  return end < 0 ? text : text.slice(1, end);
}

/** Several of them: an integrity attribute has spaces between, a header field commas. */
function listed(text: string): WrittenHash[] {
  const parts = text.split(/[\s,]/).filter((part) => part !== "");
  return parts.length > 1 ? parts.flatMap(named) : [];
}
