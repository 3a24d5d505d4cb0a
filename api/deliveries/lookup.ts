import { Resolver } from "node:dns/promises";
import { isIP, type LookupFunction } from "node:net";
import type { AddressRules } from "./addresses.ts";

/** The addresses of a host name. */
export type Resolve = (host: string) => Promise<string[]>;

/** A host has an address to which no request may go. */
export class AddressNotAllowedError extends Error {
  override readonly name = "AddressNotAllowedError";
}

/** A host name has no address, or no name server answers. */
export class UnknownHostError extends Error {
  override readonly name = "UnknownHostError";
}

/** Milliseconds and attempts of one query. */
const query = { timeout: 2_000, tries: 2 };

/** Addresses of a host to which one connection is tried: a name with thousands is no way to knock at as many machines. */
const MOST_TRIED = 8;

/**
 * Asks the name servers of the machine. Not by getaddrinfo, which takes one of Node's few threads for as long as a dead
 * name server is silent.
 */
export const askNameServers: Resolve = async (host) => {
  if (host === "localhost" || host.endsWith(".localhost")) return ["127.0.0.1", "::1"];
  const resolver = new Resolver(query);
  const found = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
  const addresses = found.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
  if (addresses.length === 0) throw new UnknownHostError(`No address is known for the host ${host}.`);
  return addresses;
};

/**
 * Looks a host up for one connection, which then goes to the very addresses that were checked: names that change their
 * address meanwhile change nothing. All addresses must be allowed.
 * @param mustBeOpened only networks that the operator opened are allowed
 */
export function checkedLookup(resolve: Resolve, rules: AddressRules, mustBeOpened: boolean): LookupFunction {
  return (host, { all }, answer) => {
    resolve(host).then(
      (addresses) => {
        const isRefused = addresses.some(
          (address) => !(mustBeOpened ? rules.opens(address) : rules.allows(address)),
        );
        const tried = addresses.slice(0, MOST_TRIED);
        const [first = ""] = tried;
        if (isRefused) answer(new AddressNotAllowedError(refusal(host, mustBeOpened)), []);
        else if (all)
          answer(
            null,
            tried.map((address) => ({ address, family: isIP(address) })),
          );
        else answer(null, first, isIP(first));
      },
      (error: Error) => answer(error, []),
    );
  };
}

/** Which address it is stays unsaid: the machine's name servers may know names that are nobody else's business. */
function refusal(host: string, mustBeOpened: boolean): string {
  return mustBeOpened
    ? `${host} has an address that is in no network that the operator opened for http or this port.`
    : `${host} has an address that is not of the public internet.`;
}
