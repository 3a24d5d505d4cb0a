import { concat, TypedDataEncoder, toBeHex } from "ethers";
import { keccak256 } from "./keccak256.ts";
import type { ProofDocument } from "./read-document.ts";
import { Broken, decodeBytes, decodeList, walkTrie } from "./walk-trie.ts";

/** The registry of this version, which stands at one address on every chain. */
export const genuineRegistry = "0xd93890a3150f24626205110aeaae5d727cc68547";

const texts = ["name", "data", "fileName", "fileType", "fileSize", "method", "hash", "uri"];

const assetTypes = {
  Asset: [
    { name: "author", type: "address" },
    { name: "salt", type: "bytes32" },
    ...texts.map((name) => ({ name, type: "string" })),
  ],
};

export type Header = { stateRoot: string; number: number; timestamp: number };

/**
 * What the header says.
 * @throws Broken when it is not the header of that hash
 */
export function readHeader({ header, hash }: ProofDocument["block"]): Header {
  if (keccak256(header) !== hash) throw new Broken("the header has another hash");
  const items = decodeList(header);
  const [stateRoot, number, timestamp] = [items[3], items[8], items[11]];
  if (items.length < 15 || typeof stateRoot !== "string" || stateRoot.length !== 66) {
    throw new Broken("the header has no state root");
  }
  return { stateRoot, number: integer(number), timestamp: integer(timestamp) };
}

function integer(bytes: unknown): number {
  if (typeof bytes !== "string" || bytes.startsWith("0x00")) throw new Broken("no integer");
  const value = bytes === "0x" ? 0n : BigInt(bytes);
  if (value > 2n ** 53n - 1n) throw new Broken("the integer is too large");
  return Number(value);
}

/** The id that texts, author, salt, chain and registry of a document make. */
export function idOf({ chainId, registry, asset }: ProofDocument): string {
  const domain = { name: "Asset Registry", version: "1", chainId, verifyingContract: registry };
  return TypedDataEncoder.hash(domain, assetTypes, asset);
}

export type Registration = { storageRoot: string; author: string; createdOn: bigint };

/**
 * What the slot of the asset says, by the state of a block.
 * @throws Broken when the proofs do not hold, or show no asset
 */
export function readRegistration(document: ProofDocument, { stateRoot }: Header): Registration {
  const account = walkTrie(stateRoot, keccak256(document.registry), document.accountProof);
  if (account === undefined) throw new Broken("the registry does not exist");
  const [, , storageRoot, codeHash, ...more] = decodeList(account).map((item) => {
    if (Array.isArray(item)) throw new Broken("no account");
    return item;
  });
  const whole = storageRoot?.length === 66 && codeHash?.length === 66 && more.length === 0;
  if (!whole) throw new Broken("no account");

  const word = readSlot(storageRoot, slotOf(document.asset.id, toBeHex(4, 32)), document.assetProof);
  if (word === undefined) throw new Broken("the asset is not registered");
  const [cancelledOn, createdOn, author] = [word.slice(0, 12), word.slice(12, 24), word.slice(24)];
  if (isZero(author) || isZero(createdOn) || !isZero(cancelledOn)) throw new Broken("no asset was created");
  return { storageRoot, author: `0x${author}`, createdOn: BigInt(`0x${createdOn}`) };
}

export type Link =
  | { state: "never added" }
  | { state: "standing"; addedOn: bigint }
  | { state: "revoked"; addedOn: bigint; revokedOn: bigint };

/**
 * What the slot of a link says.
 * @throws Broken when the proof does not hold, or the registry writes no such word
 */
export function readLink(
  { asset }: ProofDocument,
  { child, proof }: ProofDocument["links"][number],
  { storageRoot }: Registration,
  { timestamp }: Header,
): Link {
  const word = readSlot(storageRoot, slotOf(child, slotOf(asset.id, toBeHex(5, 32))), proof);
  if (word === undefined) return { state: "never added" };
  const addedOn = BigInt(`0x${word.slice(52)}`);
  const revokedOn = BigInt(`0x${word.slice(40, 52)}`);
  if (!isZero(word.slice(0, 40)) || addedOn === 0n || addedOn > timestamp) throw new Broken("no link");
  if (revokedOn === 0n) return { state: "standing", addedOn };
  if (revokedOn < addedOn || revokedOn > timestamp) throw new Broken("no time of a revocation");
  return { state: "revoked", addedOn, revokedOn };
}

/** The slot of a mapping's entry. */
const slotOf = (key: string, mapping: string) => keccak256(concat([key, mapping]));

/** The word in a slot as 64 hex digits, or undefined where it is proven to be zero. */
function readSlot(storageRoot: string, slot: string, proof: string[]): string | undefined {
  const value = walkTrie(storageRoot, keccak256(slot), proof);
  if (value === undefined) return undefined;
  const bytes = decodeBytes(value);
  if (bytes === "0x" || bytes.startsWith("0x00") || bytes.length > 66) throw new Broken("no word");
  return bytes.slice(2).padStart(64, "0");
}

const isZero = (digits: string) => /^0+$/.test(digits);
