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
        const refused = addresses.find(
          (address) => !(mustBeOpened ? rules.opens(address) : rules.allows(address)),
        );
        const [first = ""] = addresses;
        if (refused !== undefined)
          answer(new AddressNotAllowedError(refusal(host, refused, mustBeOpened)), []);
        else if (all)
          answer(
            null,
            addresses.map((address) => ({ address, family: isIP(address) })),
          );
        else answer(null, first, isIP(first));
      },
      (error: Error) => answer(error, []),
    );
  };
}

function refusal(host: string, address: string, mustBeOpened: boolean): string {
  return mustBeOpened
    ? `${host} has the address ${address}, which is in no network that the operator opened for http or this port.`
    : `${host} has the address ${address}, which is not of the public internet.`;
}
