import { Transaction, weieth, weigwei } from "micro-eth-signer";
import { Problem } from "../problem.ts";
import type { OpenTransaction } from "./expected.ts";
import type { Key } from "./keystore.ts";

/** Fees of a transaction for a unit of gas, in wei; `priority` is missing of a legacy one. */
export type Fees = { most: bigint; priority: bigint | undefined };

/** Reads the proposed fees. @throws Problem where they are over the limit, or unreadable */
export function feesOf(transaction: OpenTransaction, mostWei: bigint): Fees {
  const { maxFeePerGas, maxPriorityFeePerGas, gasPrice } = transaction;
  const isLegacy = maxFeePerGas === null || maxPriorityFeePerGas === null;
  const most = quantity(isLegacy ? gasPrice : maxFeePerGas);
  if (most > mostWei) {
    const text = `The fee of ${weigwei.encode(most)} gwei is over the limit of ${weigwei.encode(mostWei)} gwei`;
    throw new Problem("fee-too-high", `${text}: raise --max-fee, or wait. Nothing was signed.`);
  }
  if (isLegacy) return { most, priority: undefined };
  const priority = quantity(maxPriorityFeePerGas);
  // No chain takes a transaction that promises the block's producer more than it pays at all.
  if (priority > most) return { most, priority: most };
  return { most, priority };
}

/** The most that a transaction can cost, in words. */
export function costInWords({ gas }: OpenTransaction, { most }: Fees): string {
  const units = quantity(gas);
  return `at most ${weieth.encode(units * most)} of the chain's currency (${units} gas at ${weigwei.encode(most)} gwei)`;
}

/** Signs the expected call. @returns the raw transaction, as 0x and hex digits */
export function signTransaction(transaction: OpenTransaction, data: string, fees: Fees, key: Key): string {
  const { to, gas, chainId, nextNonce } = transaction;
  const call = {
    ...{
      to: to.toLowerCase(),
      data,
      value: 0n,
      chainId: BigInt(chainId),
      nonce: BigInt(nextNonce),
      gasLimit: quantity(gas),
    },
  };
  const { most, priority } = fees;
  const unsigned =
    priority === undefined
      ? Transaction.prepare({ type: "legacy", ...call, gasPrice: most })
      : Transaction.prepare({ type: "eip1559", ...call, maxFeePerGas: most, maxPriorityFeePerGas: priority });
  return unsigned.signBy(key.privateKey).toHex();
}

function quantity(text: string | null): bigint {
  if (text !== null && /^0x[0-9a-f]{1,32}$/i.test(text)) return BigInt(text);
  throw new Problem(
    "service-malformed",
    "The service proposes fees or gas that are no numbers. Nothing was signed.",
  );
}
