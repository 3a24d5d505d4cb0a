import { isIP, isIPv4, isIPv6 } from "node:net";

/** Longer than any address with its port and quotation marks. */
const LONGEST = 128;

/**
 * The address in one entry of `X-Forwarded-For`, in the forms that proxies write: with a port, in brackets, in
 * quotation marks, with a zone, or as a pair of `Forwarded` (RFC 7239). Undefined for what is no address.
 */
export function forwardedAddress(entry: string): string | undefined {
  if (entry.length > LONGEST) return undefined;
  const text = unquoted(forPair(entry));
  if (text.startsWith("[")) return inBrackets(text);
  const plain = withoutZone(text);
  if (isIP(plain) !== 0) return plain;
  const colon = plain.lastIndexOf(":");
  const host = plain.slice(0, Math.max(colon, 0));
  // Azure appends the port to an unbracketed IPv6 address: the last of nine groups is the port.
  const isHost = isIPv4(host) || (isIPv6(host) && !host.endsWith("::"));
  return isHost && isPort(plain.slice(colon + 1)) ? host : undefined;
}

/** `for=192.0.2.7;proto=https` names the caller in `for`. */
function forPair(entry: string): string {
  if (!entry.includes("=")) return entry;
  const pair = entry.split(";").find((one) => /^\s*for\s*=/i.test(one)) ?? "";
  return pair.slice(pair.indexOf("=") + 1);
}

function unquoted(text: string): string {
  return text.replaceAll(/["'\\]/g, "").trim();
}

function inBrackets(text: string): string | undefined {
  const end = text.indexOf("]");
  const address = withoutZone(text.slice(1, end));
  const rest = text.slice(end + 1);
  const isWhole = end > 0 && (rest === "" || (rest.startsWith(":") && isPort(rest.slice(1))));
  return isWhole && isIP(address) !== 0 ? address : undefined;
}

/** A zone (`fe80::1%eth0`) is a name of that machine for one of its own networks. */
function withoutZone(text: string): string {
  return text.split("%", 1)[0] ?? "";
}

const isPort = (text: string): boolean => /^\d{1,5}$/.test(text);
