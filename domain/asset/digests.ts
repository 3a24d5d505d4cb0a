import type { Hex } from "viem";
import { fromBytes, toBytes } from "../bytes.ts";
import { keccak256 } from "../keccak.ts";
import { type AssetDetails, detailFields, type RawDetails } from "./asset.ts";
import { ASSET_TYPEHASH, domainSeparator, type Registry } from "./typed-data.ts";

/** Content of an asset in bytes: its author's 20, its salt's 32, and its texts in the order of `detailFields`. */
export type AssetBytes = { author: Uint8Array; salt: Uint8Array; texts: readonly Uint8Array[] };

/** Hashes of an asset's content, 32 bytes each: `contentHash` is `hashStruct(Asset)` of EIP-712. */
export type AssetDigests = { contentHash: Uint8Array; id: Uint8Array };

const word = 32;
const struct = new Uint8Array(word * (3 + detailFields.length));
struct.set(toBytes(ASSET_TYPEHASH));

/** `hashStruct(Asset)` of EIP-712. */
function hashContent({ author, salt, texts }: AssetBytes): Uint8Array {
  struct.set(author, 2 * word - author.length);
  struct.set(salt, 2 * word);
  for (const [index, text] of texts.entries()) struct.set(keccak256(text), word * (3 + index));
  return keccak256(struct);
}

/** Creates the function that hashes assets of this registry. */
export function createDigests(registry: Registry): (asset: AssetBytes) => AssetDigests {
  const message = new Uint8Array(2 + 2 * word);
  message.set([0x19, 0x01]);
  message.set(separatorOf(registry), 2);
  return (asset) => {
    const contentHash = hashContent(asset);
    message.set(contentHash, 2 + word);
    return { contentHash, id: keccak256(message) };
  };
}

/** The content that an asset's id commits to, with texts as strings or as bytes of the chain. */
type Content = { author: Hex; salt: Hex; details: RawDetails | AssetDetails };

/** `hashStruct(Asset)` of an asset in hex. */
export function contentHash(content: Content): Hex {
  return fromBytes(hashContent(inBytes(content)));
}

/** Content hash and id that a registry gives to an asset, in hex. */
export function assetDigests(registry: Registry, content: Content): { contentHash: Hex; id: Hex } {
  const { contentHash, id } = createDigests(registry)(inBytes(content));
  return { contentHash: fromBytes(contentHash), id: fromBytes(id) };
}

function inBytes({ author, salt, details }: Content): AssetBytes {
  const texts = detailFields.map((field) => {
    const text = details[field];
    return typeof text === "string" ? Buffer.from(text) : text;
  });
  return { author: toBytes(author), salt: toBytes(salt), texts };
}

/** Caches the last domain separator, which costs as much as hashing twenty assets; a process has one registry. */
let last: { registry: Registry; separator: Uint8Array } | undefined;

function separatorOf(registry: Registry): Uint8Array {
  const { chainId, address } = registry;
  if (last?.registry.chainId !== chainId || last.registry.address !== address) {
    last = { registry: { chainId, address }, separator: toBytes(domainSeparator(registry)) };
  }
  return last.separator;
}
