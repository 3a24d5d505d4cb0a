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
import { contractQuestion, NO, YES } from "./contract-signature.ts";
import { hex, quantity } from "./quantities.ts";
import { question } from "./question.ts";

/** What every transaction costs, and more than any block holds: a node that estimates otherwise is sick. */
const [leastGas, mostGas] = [21_000n, 2n ** 53n];
const estimatedGas = quantity.refine((gas) => gas >= leastGas && gas <= mostGas, "is no estimate");

/** The gas limit for a call of which a node estimates that it needs so much: it may need more when it is mined. */
export const gasLimitFor = (needed: bigint) => (needed * 120n) / 100n;

/** Gas for a contract wallet's check, so that an endless one ends. */
const signatureCheckGas = numberToHex(5_000_000);

const accepted = hex.refine((answer) => answer === YES || answer === NO, "is no answer to it");
const word = hex.refine((answer) => size(answer) === 32, "is not 32 bytes");

export function contractCalls({ providers, ask }: Caller) {
  const code = (account: Address, block: number | "latest") =>
    question("eth_getCode", [account, typeof block === "number" ? numberToHex(block) : block], hex);

  return {
    /** Executes a call on the newest state; rejects with the revert. */
    call: (to: Address, data: Hex) => ask(question("eth_call", [{ to, data }, "latest"], hex)),
    /** Gas that the call needs by the newest block; some nodes count their pool in, where it may be waiting. Rejects with the revert. */
    estimateGas: (call: { from: Address; to: Address; data: Hex }) =>
      ask(question("eth_estimateGas", [call, "latest"], estimatedGas)),
    /** The code at an address; 0x where there is none. */
    codeAt: (account: Address, block: number | "latest") => ask(code(account, block)),
    /** The registry's next nonce of this key of the author. */
    linkNonce: async (registry: Address, author: Address, key: bigint): Promise<bigint> => {
      const nonces = { abi: registryAbi, functionName: "nonces" } as const;
      const data = encodeFunctionData({ ...nonces, args: [author, key] });
      const answer = await ask(question("eth_call", [{ to: registry, data }, "latest"], word));
      return decodeFunctionResult({ ...nonces, data: answer });
    },
    /** Whether the contract at this address accepts the signature (ERC-1271), as the registry would ask it. */
    acceptedByContract: (address: Address, hash: Hash, signature: Hex): Promise<boolean> =>
      providers.run(async (rpc) => {
        const held = code(address, "latest");
        if (held.read(await rpc.request(held)) === "0x") return false;
        const data = contractQuestion(address, hash, signature);
        const asked = question("eth_call", [{ data, gas: signatureCheckGas }, "latest"], accepted);
        try {
          return asked.read(await rpc.request(asked)) === YES;
        } catch (error) {
          if (!isExecutionFailure(error)) throw error;
          return false;
        }
      }),
  };
}
