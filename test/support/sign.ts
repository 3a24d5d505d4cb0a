import type { Hex, LocalAccount, TransactionSerializable } from "viem";

/** What `GET /transactions/{id}` says of a transaction that waits for its author. */
export type ToSign = {
  to: Hex;
  data: Hex;
  nonce: number;
  /** null where the call would fail now. */
  gas: Hex | null;
  chainId: number;
  maxFeePerGas: Hex;
  maxPriorityFeePerGas: Hex;
};

/** Signs as a wallet does; `changes` makes it another transaction. */
export async function signAs(
  account: LocalAccount,
  given: ToSign,
  changes: Partial<TransactionSerializable> = {},
): Promise<Hex> {
  const transaction = {
    type: "eip1559",
    to: given.to,
    data: given.data,
    value: 0n,
    nonce: given.nonce,
    gas: BigInt(given.gas ?? 300_000),
    chainId: given.chainId,
    maxFeePerGas: BigInt(given.maxFeePerGas),
    maxPriorityFeePerGas: BigInt(given.maxPriorityFeePerGas),
    ...changes,
  };
  return account.signTransaction(transaction as TransactionSerializable);
}

const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

/** The second signature that anyone can make of one: (r, n − s, v ⊕ 1). */
export function malleable(signature: Hex): Hex {
  const s = ORDER - BigInt(`0x${signature.slice(66, 130)}`);
  const v = Number.parseInt(signature.slice(130), 16) === 27 ? "1c" : "1b";
  return `0x${signature.slice(2, 66)}${s.toString(16).padStart(64, "0")}${v}`;
}

/** The compact form of EIP-2098. */
export function compact(signature: Hex): Hex {
  const parity = BigInt(Number.parseInt(signature.slice(130), 16) - 27) << 255n;
  const s = BigInt(`0x${signature.slice(66, 130)}`) | parity;
  return `0x${signature.slice(2, 66)}${s.toString(16).padStart(64, "0")}`;
}
