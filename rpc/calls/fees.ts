import { NodeAnswerError, NodeError } from "../errors/node-error.ts";
import type { Caller } from "./caller.ts";
import { type Header, headerCall } from "./header.ts";
import { quantity } from "./quantities.ts";
import { rpcCall } from "./rpc-call.ts";

/** Fees in wei per gas; null where the chain does not have them. */
export type Fees = {
  gasPrice: bigint;
  maxFeePerGas: bigint | null;
  maxPriorityFeePerGas: bigint | null;
  /** Of the newest block; a transaction below it is not mined. */
  baseFee: bigint | null;
};

/** Default priority fee in wei: 1 gwei. */
const usualTip = 1_000_000_000n;

const newestBlock = headerCall("latest");
const gasPriceCall = rpcCall("eth_gasPrice", [], quantity);
const tipCall = rpcCall("eth_maxPriorityFeePerGas", [], quantity);

export function feeCalls({ ask, askOptional }: Caller) {
  async function newest(): Promise<Header> {
    const head = await ask(newestBlock);
    if (head !== undefined) return head;
    throw new NodeAnswerError(newestBlock.method, newestBlock.params, "there is none", "missing_block");
  }

  const tip = () =>
    askOptional(tipCall).catch((error: unknown) => {
      if (error instanceof NodeError) return undefined;
      throw error;
    });

  return {
    /**
     * Proposes fees for a transaction that should be mined soon.
     * @param known the newest block, if it has been read
     */
    fees: async (known?: Header): Promise<Fees> => {
      // Concurrent, so that they share a batch; without a base fee no tip is needed.
      const [head, gasPrice, asked] = await Promise.all([known ?? newest(), ask(gasPriceCall), tip()]);
      const { baseFeePerGas: baseFee } = head;
      if (baseFee === undefined) {
        return { gasPrice, maxFeePerGas: null, maxPriorityFeePerGas: null, baseFee: null };
      }
      const tipNow = asked ?? (gasPrice > baseFee ? gasPrice - baseFee : usualTip);
      // Twice the base fee stays valid for six full blocks in a row, longer than it takes to sign by hand.
      const maxFeePerGas = 2n * baseFee + tipNow;
      return { gasPrice, maxFeePerGas, maxPriorityFeePerGas: tipNow, baseFee };
    },
  };
}
