import type { IncomingMessage } from "node:http";
import { BlockList, isIPv6 } from "node:net";
import type { Log } from "../request-log.ts";
import { forwardedAddress } from "./forwarded-address.ts";
import { networkOf, plainIPv4 } from "./network.ts";

/** Most entries of the header that are read, from its end. */
const MOST_ENTRIES = 32;

/** The network of a request's caller, according to the trusted proxies. */
export type CallerOf = (request: IncomingMessage) => string;

/**
 * Finds the caller: the peer of the connection, or the address that the last trusted proxy has appended to
 * `X-Forwarded-For`. Where that is unreadable the caller counts as the proxy that wrote it, which is logged once. Entries
 * before it, which the caller may have written, are never read.
 * @param trusted proxies: how many stand in a row, or their addresses and networks
 */
export function createCallerOf(trusted: number | readonly string[], log: Pick<Log, "warn">): CallerOf {
  const isProxy = typeof trusted === "number" ? undefined : matcher(trusted);
  const most = typeof trusted === "number" ? trusted : MOST_ENTRIES;
  let isSaid = false;

  return ({ socket, headers }) => {
    let caller = socket.remoteAddress ?? "";
    const header = headers["x-forwarded-for"];
    const entries = trusted === 0 || header === undefined ? [] : lastEntries(String(header), most);
    for (const [index, entry] of entries.entries()) {
      if (isProxy !== undefined && !isProxy(caller)) break;
      const address = forwardedAddress(entry);
      if (address !== undefined) caller = address;
      else if (isProxy !== undefined || index === entries.length - 1) {
        if (!isSaid) log.warn({ entry: entry.slice(0, 100), proxy: caller }, unreadable);
        isSaid = true;
        break;
      }
    }
    return networkOf(caller) ?? "unknown";
  };
}

const unreadable =
  "X-Forwarded-For has an entry that is no address: such callers share the rate limits of the proxy that wrote it";

/** The last entries of a list, the very last first; an unmatched quotation mark before them changes nothing. */
function lastEntries(list: string, most: number): string[] {
  const entries: string[] = [];
  let end = list.length;
  while (entries.length < most && end >= 0) {
    const comma = end === 0 ? -1 : list.lastIndexOf(",", end - 1);
    entries.push(list.slice(comma + 1, end));
    end = comma;
  }
  return entries;
}

function matcher(proxies: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const proxy of proxies) {
    const [address = "", bits] = proxy.split("/");
    const mapped = plainIPv4(address);
    const plain = mapped ?? address;
    const family = isIPv6(plain) ? "ipv6" : "ipv4";
    // Of `::ffff:10.0.0.0/104`, the first 96 bits say that it is a network of IPv4.
    const own = bits === undefined ? undefined : Number(bits) - (mapped === undefined ? 0 : 96);
    if (own === undefined) list.addAddress(plain, family);
    else if (own > 0) list.addSubnet(plain, own, family);
  }
  return (address) => {
    const [bare = ""] = address.split("%", 1);
    const plain = plainIPv4(bare) ?? bare;
    return list.check(plain, isIPv6(plain) ? "ipv6" : "ipv4");
  };
}
