import {
  type Address,
  getAddress,
  type Hash,
  type Hex,
  maxUint256,
  parseTransaction,
  type Signature,
  serializeTransaction,
  size,
  TipAboveFeeCapError,
  type TransactionSerialized,
} from "viem";
import type { Registry } from "../../domain/asset/typed-data.ts";
import { fromBytes, toBytes } from "../../domain/bytes.ts";
import { ApiError } from "../../domain/errors.ts";
import { keccak256 } from "../../domain/keccak.ts";
import { limits } from "../../domain/limits.ts";
import { recoverSigner } from "./recover.ts";
import { hasHighS } from "./signature.ts";

/** The generated call and its signer. */
export type GeneratedCall = { registry: Registry; calldata: Hex; author: Address };
/** Highest fee per gas, and the part of it for the block's proposer. */
export type SignedFees = { maxFeePerGas: bigint; maxPriorityFeePerGas: bigint };
export type CheckedTransaction = SignedFees & { hash: Hash; raw: Hex; nonce: number; gas: bigint };

type Parsed = ReturnType<typeof parseTransaction<TransactionSerialized>>;

/**
 * Checks that a signed transaction is exactly the generated call, signed by its author for its chain. Stricter than
 * nodes, and without calling one.
 * @throws ApiError with a code of its own for each way in which it is not
 */
export async function checkSigned(text: string, call: GeneratedCall): Promise<CheckedTransaction> {
  const raw = rawBytes(text);
  refuseType(raw);
  const transaction = parsed(raw);
  checkChain(transaction, call.registry);
  checkCall(transaction, call);
  const signer = await signerOf(transaction);
  if (signer !== call.author) {
    throw new ApiError("SIGNER_MISMATCH", `It is signed by ${signer}, and must be signed by ${call.author}.`);
  }
  const { nonce = 0, gas = 0n } = transaction;
  return { hash: hashOf(raw), raw, nonce, gas, ...feesOf(transaction) };
}

/** The fees of a transaction that was checked when it was stored. */
export function feesOfSigned(raw: Hex): SignedFees {
  return feesOf(parseTransaction(raw as TransactionSerialized));
}

function feesOf({ maxFeePerGas, maxPriorityFeePerGas, gasPrice }: Parsed): SignedFees {
  return {
    maxFeePerGas: maxFeePerGas ?? gasPrice ?? 0n,
    maxPriorityFeePerGas: maxFeePerGas === undefined ? (gasPrice ?? 0n) : (maxPriorityFeePerGas ?? 0n),
  };
}

function malformed(problem: string): ApiError {
  return new ApiError("SIGNED_TRANSACTION_MALFORMED", `The signed transaction ${problem}.`);
}

function rawBytes(text: string): Hex {
  if (text === "" || text === "0x") throw malformed("is empty");
  if (text !== text.trim()) throw malformed("has white space around it");
  if (!text.startsWith("0x")) throw malformed("must start with 0x");
  if (!/^0x[0-9a-fA-F]+$/.test(text)) throw malformed("has characters that are no hex digits");
  if (text.length % 2 !== 0) throw malformed("has an odd number of hex digits: one is missing");
  const raw = text.toLowerCase() as Hex;
  const bytes = size(raw);
  if (bytes > limits.signedTransactionBytes) {
    throw malformed(`has ${bytes} bytes, and may have at most ${limits.signedTransactionBytes}`);
  }
  return raw;
}

/** A first byte from 0xc0 begins a legacy transaction; one below names a type (EIP-2718). */
function refuseType(raw: Hex): void {
  const first = Number.parseInt(raw.slice(2, 4), 16);
  if (first >= 0xc0 || first === 1 || first === 2) return;
  throw new ApiError(
    "UNSUPPORTED_TRANSACTION_TYPE",
    `The transaction is of type 0x${raw.slice(2, 4)}: sign it as type 0x02 (EIP-1559), 0x01 or legacy.`,
  );
}

function parsed(raw: Hex): Parsed {
  let transaction: Parsed;
  let again: Hex;
  try {
    transaction = parseTransaction(raw as TransactionSerialized);
    // Refused before any further work with a number of up to a hundred thousand digits.
    if (hasOverlongNumber(transaction)) throw malformed("has a number of more than 256 bits");
    again = serializeTransaction(transaction, signatureOf(transaction));
  } catch (error) {
    if (error instanceof ApiError) throw error;
    if (error instanceof TipAboveFeeCapError) {
      throw malformed("pays a higher priority fee than its maximum fee, which no node takes");
    }
    throw malformed("cannot be read: bytes are missing, added or changed");
  }
  const signature = signatureOf(transaction);
  if (signature === undefined) throw malformed("carries no signature");
  if (hasHighS(signature.s))
    throw malformed("has a signature with a high s, which the chain refuses (EIP-2)");
  // Re-encoding must give the same bytes, since nodes accept only the canonical form.
  if (again !== raw) throw malformed("is not in its canonical form");
  return transaction;
}

const hasOverlongNumber = (transaction: Parsed): boolean =>
  Object.values(transaction).some((value) => typeof value === "bigint" && value > maxUint256);

function signatureOf({ r, s, v, yParity }: Parsed): Signature | undefined {
  if (r === undefined || s === undefined || v === undefined || yParity === undefined) return undefined;
  return { r, s, v, yParity };
}

function checkChain(transaction: Parsed, registry: Registry): void {
  if (transaction.chainId === undefined) {
    throw new ApiError(
      "REPLAYABLE_TRANSACTION",
      "The signature names no chain, so anyone could repeat the transaction on every other chain.",
    );
  }
  if (transaction.chainId === registry.chainId) return;
  throw new ApiError(
    "WRONG_CHAIN",
    `It is signed for chain ${transaction.chainId}, and this registry is on chain ${registry.chainId}.`,
  );
}

function checkCall({ to, data = "0x", value = 0n }: Parsed, { registry, calldata }: GeneratedCall): void {
  const differences: string[] = [];
  if (!to || getAddress(to) !== registry.address) {
    differences.push(`\`to\` is ${to ? getAddress(to) : "missing"} and must be ${registry.address}`);
  }
  if (data !== calldata) differences.push("`data` is another call than the generated one");
  if (value !== 0n) differences.push(`\`value\` is ${value} wei and must be 0`);
  if (differences.length === 0) return;
  throw new ApiError(
    "TRANSACTION_MISMATCH",
    `It is not the generated transaction: ${differences.join("; ")}.`,
  );
}

async function signerOf(transaction: Parsed): Promise<Address> {
  const signature = signatureOf(transaction);
  const nothing = { r: undefined, s: undefined, v: undefined, yParity: undefined };
  const digest = hashOf(serializeTransaction({ ...transaction, ...nothing } as Parsed));
  const signer = signature && (await recoverSigner(digest, signature));
  if (signer === undefined) throw malformed("has a signature that no key can have made");
  return signer;
}

function hashOf(raw: Hex): Hash {
  return fromBytes(keccak256(toBytes(raw)));
}
