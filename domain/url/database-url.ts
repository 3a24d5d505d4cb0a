/**
 * The problem of a database URL, as an error message; undefined where the driver reads it as intended. The URL may hold
 * a password, so no part of it is repeated.
 */
export function databaseUrlProblem(text: string): string | undefined {
  const [, scheme, rest = ""] = /^(postgres(?:ql)?:\/\/)(.*)$/is.exec(text) ?? [];
  if (scheme === undefined) return "must be a URL that starts with postgres:// or postgresql://";
  if (rest.includes("#")) return `has a # in it: ${encode("#", "%23")}`;
  const end = rest.search(/[/?]/);
  const authority = end === -1 ? rest : rest.slice(0, end);
  const tail = end === -1 ? "" : rest.slice(end);
  const [path = "", query = ""] = cut(tail, "?");
  // An unencoded / or ? ends the password, and the driver takes the rest for a path.
  if (path.includes("@")) return `has an @ behind its host: ${encode("/", "%2F")}`;
  if (/^[^=&]*@/.test(query)) return `has an @ behind its host: ${encode("?", "%3F")}`;
  const at = authority.lastIndexOf("@") + 1;
  const host = authority.slice(at);
  const parameters = new URLSearchParams(query);
  if (host.includes(",") || parameters.get("host")?.includes(",")) {
    return "names several hosts, and the driver connects to one: name a single host, or that of a proxy in front of them";
  }
  const prepared = parameters.get("prepared_statements");
  if (prepared !== null && prepared !== "on" && prepared !== "off") {
    return "has a parameter prepared_statements that must be on or off";
  }
  // Without a host the driver takes that of a parameter, which may be a folder with a socket, or localhost.
  const url = URL.parse(`${scheme}${authority.slice(0, at)}${host || "localhost"}${tail}`);
  const port = parameters.get("port");
  if (url === null || (port !== null && !/^\d{1,5}$/.test(port))) {
    return `has a host or port that cannot be read: ${encode("any of : / ? # [ ] @ %", "%3A, %2F, %3F, %23, %5B, %5D, %40 and %25")}`;
  }
  return undefined;
}

const encode = (characters: string, codes: string): string =>
  `${characters} in a user name or password must be percent-encoded, as ${codes}`;

/** Both sides of the first mark. */
function cut(text: string, mark: string): [string, string] {
  const at = text.indexOf(mark);
  return at === -1 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
}
