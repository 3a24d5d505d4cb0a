import { type Hex, hexToBytes, toRlp } from "viem";
import { decodeRlp, isBytes } from "../../proof/src/trie/rlp.ts";

/** Items of `extraData` in Besu's IBFT 2.0 and QBFT: vanity data, validators, a vote, the round, and the seals. */
const itemsOfBesu = 5;

/**
 * The forms of `extraData` with which a chain may hash a header: as it is told, and, of Besu's IBFT 2.0 and QBFT,
 * without the round and the seals, since validators seal the hash itself.
 */
export function hashedForms(extraData: Hex): Hex[] {
  const items = decodeRlp(hexToBytes(extraData));
  if (items === undefined || isBytes(items) || items.length !== itemsOfBesu) return [extraData];
  const agreed = items.slice(0, -2);
  const none = new Uint8Array();
  return [extraData, toRlp(agreed), toRlp([...agreed, none, []])];
}
