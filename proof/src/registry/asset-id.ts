import { concat, keccak256, numberWord, utf8, word } from "../bytes/bytes.ts";
import { assetTexts } from "../document/format.ts";

/** Content that an asset's id commits to: its author's 20 bytes, its salt's 32, and its texts in UTF-8. */
export type AssetContent = { author: Uint8Array; salt: Uint8Array; texts: readonly Uint8Array[] };

const hashOf = (text: string) => keccak256(utf8(text));

const assetType = hashOf(
  `Asset(address author,bytes32 salt,${assetTexts.map((name) => `string ${name}`).join(",")})`,
);
const domainType = hashOf(
  "EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)",
);

/** EIP-712 domain separator of a registry on a chain. */
export function domainSeparator(chainId: number, registry: Uint8Array): Uint8Array {
  const name = hashOf("Asset Registry");
  const version = hashOf("1");
  return keccak256(concat(domainType, name, version, numberWord(chainId), word(registry)));
}

/** `hashStruct(Asset)` of EIP-712. */
export function contentHash({ author, salt, texts }: AssetContent): Uint8Array {
  return keccak256(concat(assetType, word(author), salt, ...texts.map(keccak256)));
}

/** The id that a registry gives to an asset: the EIP-712 digest of its content. */
export function assetId(chainId: number, registry: Uint8Array, content: AssetContent): Uint8Array {
  const prefix = Uint8Array.of(0x19, 0x01);
  return keccak256(concat(prefix, domainSeparator(chainId, registry), contentHash(content)));
}
