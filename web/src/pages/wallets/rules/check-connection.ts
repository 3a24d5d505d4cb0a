import type { Registry } from "../../../../../domain/asset/typed-data.ts";
import { walletTypedData } from "../../../../../domain/asset/typed-data.ts";
import type { TypedData } from "../../../wallet/ask.ts";

/** What the page itself knows of the connection that it asks for. */
export type Known = {
  registry: Registry;
  /** URL at which people reach the service. */
  service: string;
  issuer: string;
  /** Whether the user's own token names somebody by this name. */
  isMe(user: string): boolean;
};

/** Where the service asks for another signature than for this connection. */
export type Mismatch = "UNREADABLE" | "CHAIN" | "REGISTRY" | "SERVICE" | "USER" | "WORDS";

const domainType = [
  { name: "name", type: "string" },
  { name: "version", type: "string" },
  { name: "chainId", type: "uint256" },
  { name: "verifyingContract", type: "address" },
];

/**
 * Holds the typed data that the service asks for against what the page knows, and puts it together anew: the service's own
 * are only its one-time token, its expiration, and the name of the user, which must be theirs.
 */
export function checkConnection(
  serialized: string,
  known: Known,
): { data: TypedData } | { mismatch: Mismatch } {
  const asked = readJson(serialized);
  const { chainId, verifyingContract } = membersOf(asked["domain"]);
  const { service, issuer, user, token, expiration } = membersOf(asked["message"]);
  if (typeof user !== "string" || typeof token !== "string" || typeof expiration !== "string") {
    return { mismatch: "UNREADABLE" };
  }
  const { registry } = known;
  if (chainId !== registry.chainId) return { mismatch: "CHAIN" };
  if (String(verifyingContract).toLowerCase() !== registry.address.toLowerCase())
    return { mismatch: "REGISTRY" };
  if (service !== known.service) return { mismatch: "SERVICE" };
  if (issuer !== known.issuer || !known.isMe(user)) return { mismatch: "USER" };
  const own = walletTypedData(registry, { service, issuer, user, token, expiration });
  const data = { ...own, types: { EIP712Domain: domainType, ...own.types } };
  // Whatever the service added would be signed unseen.
  const isSame = sorted(asked) === sorted(data);
  return isSame ? { data } : { mismatch: "WORDS" };
}

type Members = Record<string, unknown>;

function readJson(text: string): Members {
  try {
    return membersOf(JSON.parse(text));
  } catch {
    return {};
  }
}

const membersOf = (value: unknown): Members =>
  typeof value === "object" && value !== null ? (value as Members) : {};

/** A value as JSON whose members stand in the order of their names; an address counts in any case. */
function sorted(value: unknown): string {
  return JSON.stringify(value, (name, member) => {
    if (name === "verifyingContract") return String(member).toLowerCase();
    if (typeof member !== "object" || member === null || Array.isArray(member)) return member;
    return Object.fromEntries(Object.entries(member).toSorted(([one], [other]) => (one < other ? -1 : 1)));
  });
}
