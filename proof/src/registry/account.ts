import { decodeRlp, isBytes } from "../trie/rlp.ts";

/**
 * Root of an account's storage from its value in the state trie: RLP of nonce, balance, storage root and code hash.
 * @returns undefined where the value is no account
 */
export function storageRootOf(account: Uint8Array): Uint8Array | undefined {
  const fields = decodeRlp(account);
  if (fields === undefined || isBytes(fields) || fields.length !== 4 || !fields.every(isBytes))
    return undefined;
  const [, , storageRoot, codeHash] = fields;
  return storageRoot?.length === 32 && codeHash?.length === 32 ? storageRoot : undefined;
}
