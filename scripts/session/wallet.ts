import type { Hash, Hex } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import type { Registry } from "../../domain/asset/typed-data.ts";
import { type Asked, NotAsShownError, understand } from "./asked.ts";
import { type Service, SessionError } from "./service.ts";

/** The part of `GET /transactions/{id}` that an author signs. */
export type ToSign = Asked & {
  id: string;
  state: string;
  reason?: string;
  summary: string;
  /** The lowest nonce that no other transaction holds, for one that is handed in at once. */
  nextNonce: number | null;
  gas: Hex | null;
  maxFeePerGas: Hex | null;
  maxPriorityFeePerGas: Hex | null;
  gasPrice: Hex | null;
  warning: string | null;
  transactionHash?: Hash;
};

/** Reads what an author has to sign. */
export async function readToSign({ client }: Service, id: string, signal?: AbortSignal): Promise<ToSign> {
  return (await client.transaction(id, signal && { signal })) as ToSign;
}

/** The most that it pays for a unit of gas, in wei. */
export function feeOf({ maxFeePerGas, gasPrice }: ToSign): bigint {
  return BigInt(maxFeePerGas ?? gasPrice ?? 0);
}

/**
 * Signs a generated transaction with a key that is at hand, as a wallet does, if its bytes are what is shown.
 * @param registry the one that it must be for; left out: the one that it names
 * @returns the raw transaction
 */
export async function sign(service: Service, wanted: ToSign, registry?: Registry): Promise<Hex> {
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
  try {
    understand(wanted, registry ?? { chainId, address: to });
  } catch (error) {
    if (!(error instanceof NotAsShownError) || registry !== undefined) throw error;
    throw new SessionError(`It is not signed, because it is not what is shown: ${error.message}.`);
  }
  const call = { chainId, to, data, nonce, gas: BigInt(gas), value: BigInt(wanted.value ?? 0) };
  const account = privateKeyToAccount(key);
  if (wanted.maxFeePerGas === null || wanted.maxPriorityFeePerGas === null) {
    return account.signTransaction({ ...call, type: "legacy", gasPrice: feeOf(wanted) });
  }
  return account.signTransaction({
    ...call,
    type: "eip1559",
    maxFeePerGas: BigInt(wanted.maxFeePerGas),
    maxPriorityFeePerGas: BigInt(wanted.maxPriorityFeePerGas),
  });
}
