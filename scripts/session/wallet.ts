import type { Address, Hash, Hex } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { type Service, SessionError } from "./service.ts";

/** What `GET /transactions/{id}` says that an author has to sign. */
export type ToSign = {
  id: string;
  assetId: Hex;
  state: string;
  reason?: string;
  summary: string;
  signer: Address;
  chainId: number;
  to: Address | null;
  data: Hex | null;
  value: Hex | null;
  /** The lowest nonce that no other transaction holds, for one that is handed in at once. */
  nextNonce: number | null;
  gas: Hex | null;
  maxFeePerGas: Hex | null;
  maxPriorityFeePerGas: Hex | null;
  gasPrice: Hex | null;
  warning: string | null;
  transactionHash?: Hash;
};

/** Signs a generated transaction with a key that is at hand, as a wallet does. @returns the raw transaction */
export async function sign(service: Service, wanted: ToSign): Promise<Hex> {
  const key = service.keys.get(wanted.signer.toLowerCase());
  if (key === undefined) {
    throw new SessionError(`There is no key here for ${wanted.signer}, who has to sign: set AUTHOR_KEY.`);
  }
  const { to, data, nextNonce: nonce, gas, chainId } = wanted;
  if (to === null || data === null || nonce === null) {
    throw new SessionError(`There is nothing to sign: the transaction is ${wanted.state}.`);
  }
  if (gas === null)
    throw new SessionError(`It would fail on the chain: ${wanted.warning ?? "no gas estimate"}`);
  const call = { chainId, to, data, nonce, gas: BigInt(gas), value: BigInt(wanted.value ?? 0) };
  const account = privateKeyToAccount(key);
  if (wanted.maxFeePerGas === null || wanted.maxPriorityFeePerGas === null) {
    return account.signTransaction({ ...call, type: "legacy", gasPrice: BigInt(wanted.gasPrice ?? 0) });
  }
  return account.signTransaction({
    ...call,
    type: "eip1559",
    maxFeePerGas: BigInt(wanted.maxFeePerGas),
    maxPriorityFeePerGas: BigInt(wanted.maxPriorityFeePerGas),
  });
}
