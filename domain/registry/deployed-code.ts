import {
  type Address,
  bytesToHex,
  type Hex,
  hashDomain,
  hexToBigInt,
  hexToBytes,
  keccak256,
  numberToHex,
  pad,
  slice,
  stringToHex,
} from "viem";
import { registryDomain } from "../asset/typed-data.ts";
import { registryCode } from "./code.ts";

/** Offsets of the words that the constructor writes into the code. */
const immutables: Record<string, readonly number[]> = registryCode.immutables;

/**
 * How the code at an address differs from the registry of this version; undefined where it does not. Every byte is
 * compared, the immutables with their values for this address and chain.
 */
export function codeMismatch(code: Hex, address: Address): string | undefined {
  const bytes = hexToBytes(code);
  if (bytes.length !== registryCode.size) {
    return `its code is ${bytes.length} bytes long, and the registry's ${registryCode.size}`;
  }
  const blank = Uint8Array.from(bytes);
  for (const offset of Object.values(immutables).flat()) blank.fill(0, offset, offset + 32);
  if (keccak256(blank) !== registryCode.blankedHash)
    return "its code is as long as the registry's, but differs";

  const words = (name: string) =>
    (immutables[name] ?? []).map((offset) => bytesToHex(bytes.subarray(offset, offset + 32)));
  // The chain id may have changed by a fork; the registry then computes the new domain by itself.
  const createdOnChain = hexToBigInt(words("_cachedChainId")[0] ?? "0x0");
  const expected = constructed(createdOnChain, address);
  const wrong = Object.keys(immutables).find((name) => words(name).some((word) => word !== expected[name]));
  return wrong && `its code is the registry's, but its constructor wrote another ${wrong.replace("_", "")}`;
}

/** Expected values of the immutables; one that is not listed never matches. */
function constructed(chainId: bigint, address: Address): Record<string, Hex> {
  const { name, version } = registryDomain({ chainId: Number(chainId), address });
  return {
    _cachedChainId: numberToHex(chainId, { size: 32 }),
    _cachedThis: pad(address.toLowerCase() as Hex),
    _cachedDomainSeparator: hashDomain({
      domain: { name, version, chainId, verifyingContract: address },
      types: { EIP712Domain: domainType },
    }),
    _hashedName: keccak256(stringToHex(name)),
    _hashedVersion: keccak256(stringToHex(version)),
    _name: shortString(name),
    _version: shortString(version),
  };
}

const domainType = [
  { name: "name", type: "string" },
  { name: "version", type: "string" },
  { name: "chainId", type: "uint256" },
  { name: "verifyingContract", type: "address" },
] as const;

/** OpenZeppelin's ShortString: the text from the left, its length in the last byte. */
function shortString(text: string): Hex {
  const hex = stringToHex(text, { size: 32 });
  return `${slice(hex, 0, 31)}${text.length.toString(16).padStart(2, "0")}`;
}
