import { NodeAnswerError, NodeError } from "../errors/node-error.ts";
import type { Caller } from "./caller.ts";
import { type Header, headerQuestion } from "./header.ts";
import { quantity } from "./quantities.ts";
import { question } from "./question.ts";

/** Fees in wei for a unit of gas; null where the chain has no such thing. */
export type Fees = {
  gasPrice: bigint;
  maxFeePerGas: bigint | null;
  maxPriorityFeePerGas: bigint | null;
  /** Of the newest block: what pays less is in no block. */
  baseFee: bigint | null;
};

/** Priority fee where the node names none, in wei: 1 gwei. */
const usualTip = 1_000_000_000n;

const newestBlock = headerQuestion("latest");
const gasPriceQuestion = question("eth_gasPrice", [], quantity);
const tipQuestion = question("eth_maxPriorityFeePerGas", [], quantity);

export function feeCalls({ ask }: Caller) {
  async function newest(): Promise<Header> {
    const head = await ask(newestBlock);
    if (head !== undefined) return head;
    throw new NodeAnswerError(newestBlock.method, newestBlock.params, "there is none", "missing_block");
  }

  /** Some nodes know no such question. */
  const tip = () =>
    ask(tipQuestion).catch((error: unknown) => {
      if (error instanceof NodeError) return undefined;
      throw error;
    });

  return {
    /**
     * Proposes fees for a transaction that is to be mined soon.
     * @param known the newest block, where it has been read
     */
    fees: async (known?: Header): Promise<Fees> => {
      // At once, so that they travel together; without a base fee nobody needs a tip.
      const [head, gasPrice, asked] = await Promise.all([known ?? newest(), ask(gasPriceQuestion), tip()]);
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
