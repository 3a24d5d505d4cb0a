import { type Hash, type Hex, keccak256, numberToHex, toRlp } from "viem";
import { z } from "zod";
import { bounds } from "../../proof/src/document/bounds.ts";
import { hashedForms } from "./extra-data.ts";
import { bytes, hash, hex, quantity } from "./quantities.ts";

/** A number in RLP: its bytes without leading zeros, none for zero. */
const number = quantity.transform((value): Hex => (value === 0n ? "0x" : evenHex(numberToHex(value))));
const evenHex = (digits: Hex): Hex => (digits.length % 2 === 0 ? digits : `0x0${digits.slice(2)}`);

/** Longest `extraData` that is read, in bytes: some chains keep their validators and more in it. All else has some 700. */
const longestExtraData = bounds.headerBytes - 1_000;
const extraData = hex.refine((value) => value.length % 2 === 0 && value.length <= 2 + 2 * longestExtraData);

const fields = {
  parentHash: hash,
  sha3Uncles: hash,
  miner: bytes(20),
  stateRoot: hash,
  transactionsRoot: hash,
  receiptsRoot: hash,
  logsBloom: bytes(256),
  difficulty: number,
  number,
  gasLimit: number,
  gasUsed: number,
  timestamp: number,
  extraData,
  mixHash: hash,
  nonce: bytes(8),
};

const extraDataAt = Object.keys(fields).indexOf("extraData");

/** Fields that forks added behind them, each only where the one before it is. */
const laterFields = {
  baseFeePerGas: number,
  withdrawalsRoot: hash,
  blobGasUsed: number,
  excessBlobGas: number,
  parentBeaconBlockRoot: hash,
  requestsHash: hash,
  blockAccessListHash: hash,
  slotNumber: number,
};

const absent = z.null().transform(() => undefined);

const wholeHeader = z.object({
  ...fields,
  ...Object.fromEntries(
    Object.entries(laterFields).map(([name, field]) => [name, z.union([absent, field]).optional()]),
  ),
});

/**
 * The header of a block in RLP, made from the fields of a node's answer.
 * @returns undefined where it does not hash to the block's hash: the chain's headers have other fields, or the node lies
 */
export function headerInRlp(answer: unknown, block: Hash): Hex | undefined {
  const parsed = wholeHeader.safeParse(answer);
  if (!parsed.success) return undefined;
  const header: Record<string, Hex | undefined> = parsed.data;
  const items: Hex[] = Object.keys(fields).map((name) => header[name] ?? "0x");
  for (const name of Object.keys(laterFields)) {
    const item = header[name];
    if (item === undefined) break;
    items.push(item);
  }
  return hashedForms(items[extraDataAt] ?? "0x")
    .map((form) => toRlp(items.with(extraDataAt, form)))
    .find((encoded) => keccak256(encoded) === block);
}
