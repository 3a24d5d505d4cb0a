import { BlockList, isIP } from "node:net";

/**
 * Addresses that receivers of webhooks may have: those of the internet that everybody can reach, and the networks that
 * the operator opened. Sources: the IANA registries of special-purpose addresses (RFC 6890 and its successors).
 */
export type AddressRules = {
  /** Whether a request may go to an address. */
  allows(address: string): boolean;
  /** Whether an address is in an opened network, where `http:` and all ports are allowed too. */
  opens(address: string): boolean;
  /** Whether any network is opened. */
  opensSome: boolean;
};

/** IPv4 networks that are not of the internet. */
const closed4 = [
  "0.0.0.0/8", // this network, and unspecified
  "10.0.0.0/8", // private
  "100.64.0.0/10", // shared by carriers (CGNAT)
  "127.0.0.0/8", // loopback
  "168.63.129.16/32", // Azure's own services for the machine that asks, though the address is public
  "169.254.0.0/16", // link-local, where clouds serve metadata
  "172.16.0.0/12", // private
  "192.0.0.0/24", // protocol assignments
  "192.0.2.0/24", // documentation
  "192.31.196.0/24", // AS112
  "192.52.193.0/24", // AMT
  "192.88.99.0/24", // relays of 6to4
  "192.168.0.0/16", // private
  "192.175.48.0/24", // AS112
  "198.18.0.0/15", // benchmarks
  "198.51.100.0/24", // documentation
  "203.0.113.0/24", // documentation
  "224.0.0.0/4", // multicast
  "240.0.0.0/4", // reserved, and broadcast
];

/** Of IPv6 all but global unicast is closed, and of that what is special or stands for an IPv4 address. */
const closed6 = [
  "2001::/23", // protocol assignments, Teredo (2001::/32) among them
  "2001:db8::/32", // documentation
  "2002::/16", // 6to4
  "2620:4f:8000::/48", // AS112
  "3fff::/20", // documentation
];
const globalUnicast = "2000::/3";

function listOf(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = "", prefix] = network.split("/");
    const family = isIP(address) === 6 ? "ipv6" : "ipv4";
    list.addSubnet(address, Number(prefix ?? (family === "ipv6" ? 128 : 32)), family);
  }
  return list;
}

const closedIpv4 = listOf(closed4);
const closedIpv6 = listOf(closed6);
const openIpv6 = listOf([globalUnicast]);

/** @param networks opened by the operator: addresses, or networks in CIDR form */
export function addressRules(networks: readonly string[] = []): AddressRules {
  const opened = listOf(networks);
  const opens = (address: string) => {
    const family = isIP(address);
    return family !== 0 && opened.check(address, family === 6 ? "ipv6" : "ipv4");
  };
  return {
    opens,
    allows: (address) => isPublic(address) || opens(address),
    opensSome: networks.length > 0,
  };
}

function isPublic(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !closedIpv4.check(address, "ipv4");
  // Scoped addresses (fe80::1%eth0) are of one link.
  if (family !== 6 || address.includes("%")) return false;
  return openIpv6.check(address, "ipv6") && !closedIpv6.check(address, "ipv6");
}
