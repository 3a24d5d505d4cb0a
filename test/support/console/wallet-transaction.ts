import { type Hash, type Hex, keccak256, type LocalAccount, numberToHex } from "viem";
import type { Anvil } from "../chain/anvil.ts";

/** The parameter of `eth_sendTransaction`. */
export type WalletTransaction = {
  from: Hex;
  to?: Hex;
  data?: Hex;
  value?: Hex;
  gas?: Hex;
  nonce?: Hex;
  chainId?: Hex;
  maxFeePerGas?: Hex;
  maxPriorityFeePerGas?: Hex;
};

/** What a wallet or its user makes different. */
export type TransactionChanges = Partial<Omit<WalletTransaction, "from" | "chainId">>;

const GWEI = 1_000_000_000n;

/** Signs a transaction, with what a wallet finds out itself: nonce, gas and fees. */
export async function signTransaction(
  anvil: Anvil,
  account: LocalAccount,
  chainId: number,
  asked: WalletTransaction,
): Promise<{ raw: Hex; hash: Hash; transaction: WalletTransaction }> {
  const { to, data = "0x", value = "0x0" } = asked;
  const nonce =
    asked.nonce ?? (await anvil.rpc<Hex>("eth_getTransactionCount", [account.address, "pending"]));
  const gas =
    asked.gas ?? (await anvil.rpc<Hex>("eth_estimateGas", [{ from: account.address, to, data, value }]));
  const fees = {
    maxFeePerGas: asked.maxFeePerGas ?? numberToHex(30n * GWEI),
    maxPriorityFeePerGas: asked.maxPriorityFeePerGas ?? numberToHex(GWEI),
  };
  const raw = await account.signTransaction({
    type: "eip1559",
    chainId,
    nonce: Number(nonce),
    ...(to === undefined ? {} : { to }),
    data,
    value: BigInt(value),
    gas: BigInt(gas),
    maxFeePerGas: BigInt(fees.maxFeePerGas),
    maxPriorityFeePerGas: BigInt(fees.maxPriorityFeePerGas),
  });
  return { raw, hash: keccak256(raw), transaction: { ...asked, nonce, gas, ...fees } };
}
