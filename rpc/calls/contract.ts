import {
  type Address,
  decodeFunctionResult,
  encodeFunctionData,
  type Hash,
  type Hex,
  numberToHex,
  size,
} from "viem";
import { registryAbi } from "../../domain/registry/abi.ts";
import { isExecutionFailure } from "../errors/execution-failure.ts";
import type { Caller } from "./caller.ts";
import { NO, signatureCheckCall, YES } from "./contract-signature.ts";
import { hex, quantity } from "./quantities.ts";
import { rpcCall } from "./rpc-call.ts";

/** Bounds of a plausible gas estimate. */
const [leastGas, mostGas] = [21_000n, 2n ** 53n];
const estimatedGas = quantity.refine((gas) => gas >= leastGas && gas <= mostGas, "is no estimate");

/** Gas of a contract wallet's check, against endless ones. */
const signatureCheckGas = numberToHex(5_000_000);

const accepted = hex.refine((answer) => answer === YES || answer === NO, "is no answer to it");
const word = hex.refine((answer) => size(answer) === 32, "is not 32 bytes");

export function contractCalls({ providers, ask }: Caller) {
  const code = (account: Address, block: number | "latest") =>
    rpcCall("eth_getCode", [account, typeof block === "number" ? numberToHex(block) : block], hex);

  return {
    /** Executes a call on the newest state; rejects with the revert. */
    call: (to: Address, data: Hex) => ask(rpcCall("eth_call", [{ to, data }, "latest"], hex)),
    /** Estimates gas by the newest block; some nodes include their pool. Rejects with the revert. */
    estimateGas: (call: { from: Address; to: Address; data: Hex }) =>
      ask(rpcCall("eth_estimateGas", [call, "latest"], estimatedGas)),
    /** The code at an address; 0x where there is none. */
    codeAt: (account: Address, block: number | "latest") => ask(code(account, block)),
    /** The author's next nonce in the registry, by key. */
    linkNonce: async (registry: Address, author: Address, key: bigint): Promise<bigint> => {
      const nonces = { abi: registryAbi, functionName: "nonces" } as const;
      const data = encodeFunctionData({ ...nonces, args: [author, key] });
      const answer = await ask(rpcCall("eth_call", [{ to: registry, data }, "latest"], word));
      return decodeFunctionResult({ ...nonces, data: answer });
    },
    /** Whether the contract at this address accepts the signature (ERC-1271), as the registry checks it. */
    acceptedByContract: (address: Address, hash: Hash, signature: Hex): Promise<boolean> =>
      providers.run(async (rpc) => {
        const held = code(address, "latest");
        if (held.read(await rpc.request(held)) === "0x") return false;
        const data = signatureCheckCall(address, hash, signature);
        const asked = rpcCall("eth_call", [{ data, gas: signatureCheckGas }, "latest"], accepted);
        try {
          return asked.read(await rpc.request(asked)) === YES;
        } catch (error) {
          if (!isExecutionFailure(error)) throw error;
          return false;
        }
      }),
  };
}
