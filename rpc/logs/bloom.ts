import type { Hex } from "viem";
import { toBytes } from "../../domain/bytes.ts";
import { keccak256 } from "../../domain/keccak.ts";

/**
 * Whether a block's bloom filter allows a log of this contract. There are false positives and no false negatives, so a
 * match beside an empty list of logs is worth a retry.
 * Source: Ethereum yellow paper, section 4.3.1: three 11-bit numbers from the first six bytes of keccak256.
 */
export function mayHoldLogsOf(contract: Hex, logsBloom: Hex): boolean {
  const bloom = toBytes(logsBloom);
  const digest = keccak256(toBytes(contract));
  return [0, 2, 4].every((start) => {
    const bit = (((digest[start] ?? 0) << 8) | (digest[start + 1] ?? 0)) & 2047;
    return ((bloom[255 - (bit >> 3)] ?? 0) >> (bit & 7)) & 1;
  });
}
