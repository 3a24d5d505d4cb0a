import { type Hash, type Hex, numberToHex } from "viem";
import { z } from "zod";
import { NodeAnswerError } from "../errors/node-error.ts";
import { bytes, count, hash, quantity } from "./quantities.ts";
import { type Question, question } from "./question.ts";

/** A block's header as far as the index needs it. `logsBloom` and the base fee are missing on some chains. */
export type Header = {
  number: number;
  hash: Hash;
  parentHash: Hash;
  timestamp: number;
  logsBloom: Hex | undefined;
  baseFeePerGas: bigint | undefined;
};

export type Tag = number | "latest" | "finalized";

const header = z
  .object({
    number: count,
    hash,
    parentHash: hash,
    timestamp: count,
    // Some chains keep none, and say so in their own ways.
    logsBloom: bytes(256).nullish().catch(undefined),
    // It decides nothing but a hint: one that makes no sense is none.
    baseFeePerGas: quantity.nullish().catch(undefined),
  })
  .transform(
    ({ logsBloom, baseFeePerGas, ...rest }): Header => ({
      ...rest,
      logsBloom: logsBloom ?? undefined,
      baseFeePerGas: baseFeePerGas ?? undefined,
    }),
  );

/** So far back an answer may lie that is a block before the one asked for, as some nodes name it for a number without a block. */
const longestGap = 100;

/** The answer is a block before the one asked for. */
export class OlderBlockError extends NodeAnswerError {
  override readonly name = "OlderBlockError";
}

export function headerQuestion(tag: Tag): Question<Header | undefined> {
  const params = [typeof tag === "number" ? numberToHex(tag) : tag, false];
  const asked = question("eth_getBlockByNumber", params, header.nullable());
  return {
    ...asked,
    read: (answer) => {
      const found = asked.read(answer) ?? undefined;
      if (found === undefined || typeof tag !== "number" || found.number === tag) return found;
      const problem = `it is block ${found.number}`;
      if (found.number > tag || found.number < tag - longestGap) {
        throw new NodeAnswerError("eth_getBlockByNumber", params, problem);
      }
      throw new OlderBlockError("eth_getBlockByNumber", params, problem);
    },
  };
}

export const headerByHash = (block: Hash): Question<Header | null> =>
  question("eth_getBlockByHash", [block, false], header.nullable());
