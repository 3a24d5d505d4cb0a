import { numberOf } from "./bytes/bytes.ts";
import { decodeRlp, isBytes, type RlpItem } from "./trie/rlp.ts";

/** What a proof needs of a block's header; `timestamp` in Unix seconds. */
export type Header = { stateRoot: Uint8Array; number: number; timestamp: number };

/** Fields of the first headers; later forks add more behind them. */
const fewestFields = 15;

/**
 * Reads a header in RLP.
 * @returns undefined where the bytes are none
 */
export function readHeader(bytes: Uint8Array): Header | undefined {
  const fields = decodeRlp(bytes);
  if (fields === undefined || isBytes(fields) || fields.length < fewestFields) return undefined;
  const stateRoot = fields[3];
  const number = integerOf(fields[8]);
  const timestamp = integerOf(fields[11]);
  if (!isBytes(stateRoot) || stateRoot.length !== 32) return undefined;
  return number === undefined || timestamp === undefined ? undefined : { stateRoot, number, timestamp };
}

/** A non-negative integer without zero bytes in front, up to 2^53 - 1. */
function integerOf(item: RlpItem | undefined): number | undefined {
  if (!isBytes(item) || item[0] === 0 || item.length > 7) return undefined;
  const value = numberOf(item);
  return Number.isSafeInteger(value) ? value : undefined;
}
