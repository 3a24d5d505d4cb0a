import { type Hex, keccak256 } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import type { Attempt } from "../../db/service/relays/relayer-nonces.ts";
import type { RelayFees } from "./fees.ts";

export type Unsent = Omit<Attempt, "sentBlock">;
type Call = { chainId: number; nonce: number; to: Hex; data: Hex; gas: bigint };
/** Fees per gas, and the expected data fee. */
export type Fees = RelayFees & { dataFee: bigint };

/** Signs for a relayer; the key does not leave this module. */
export function createSigning(key: Hex) {
  const account = privateKeyToAccount(key);
  const { address } = account;

  async function sign(call: Call, { maxFee, priorityFee, dataFee }: Fees, filler: boolean): Promise<Unsent> {
    const raw = await account.signTransaction(
      priorityFee === undefined
        ? { ...call, type: "legacy", gasPrice: maxFee }
        : { ...call, type: "eip1559", maxFeePerGas: maxFee, maxPriorityFeePerGas: priorityFee },
    );
    return { hash: keccak256(raw), raw, filler, gas: call.gas, maxFee, priorityFee, dataFee };
  }

  return {
    address,
    call: (call: Call, fees: Fees) => sign(call, fees, false),
    /** An empty transaction that only uses a nonce up. */
    filler: (place: { chainId: number; nonce: number }, gas: bigint, fees: Fees) =>
      sign({ ...place, to: address, data: "0x", gas }, fees, true),
  };
}

export type Signing = ReturnType<typeof createSigning>;
