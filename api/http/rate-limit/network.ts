import { isIPv4, isIPv6 } from "node:net";

/**
 * The caller of an address: an IPv4 address, or the /64 of an IPv6 address, which its holder may use as a whole.
 * Undefined for other texts.
 */
export function networkOf(address: string): string | undefined {
  if (isIPv4(address)) return address;
  // A zone (`fe80::1%eth0`) is a name of this machine for one of its own networks.
  const [plain = ""] = address.split("%", 1);
  if (!isIPv6(plain)) return undefined;
  const groups = groupsOf(plain);
  return (
    plainIPv4(plain) ??
    `${groups
      .slice(0, 4)
      .map((group) => group.toString(16))
      .join(":")}::/64`
  );
}

/** The IPv4 address that an IPv6 one stands for (`::ffff:192.0.2.7`). */
export function plainIPv4(address: string): string | undefined {
  if (!isIPv6(address) || !/^[0:]*:ffff:/i.test(address)) return undefined;
  const groups = groupsOf(address);
  if (groups.slice(0, 5).some((group) => group !== 0) || groups[5] !== 0xffff) return undefined;
  const [high = 0, low = 0] = groups.slice(6);
  return [high >> 8, high & 0xff, low >> 8, low & 0xff].join(".");
}

/** The eight groups of an IPv6 address; URL writes it in the one canonical form, without an IPv4 part. */
function groupsOf(address: string): number[] {
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [head = [], tail = []] = canonical.split("::").map((part) =>
    part
      .split(":")
      .filter(Boolean)
      .map((group) => Number.parseInt(group, 16)),
  );
  return [...head, ...Array.from({ length: 8 - head.length - tail.length }, () => 0), ...tail];
}
