import { type Hash, type Hex, numberToHex } from "viem";
import { z } from "zod";
import { NodeAnswerError } from "../errors/node-error.ts";
import { callByHash } from "./call-by-hash.ts";
import { bytes, count, hash, quantity } from "./quantities.ts";
import { type RpcCall, rpcCall } from "./rpc-call.ts";

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
    // Some chains have none, and express that in several ways.
    logsBloom: bytes(256).nullish().catch(undefined),
    // Used only for a hint, so an implausible one counts as missing.
    baseFeePerGas: quantity.nullish().catch(undefined),
  })
  .transform(
    ({ logsBloom, baseFeePerGas, ...rest }): Header => ({
      ...rest,
      logsBloom: logsBloom ?? undefined,
      baseFeePerGas: baseFeePerGas ?? undefined,
    }),
  );

/** How many blocks before a left-out number the block may be that some nodes answer for it. */
const longestGap = 100;

/** The answer is an earlier block than requested. */
export class OlderBlockError extends NodeAnswerError {
  override readonly name = "OlderBlockError";
}

export function headerCall(tag: Tag): RpcCall<Header | undefined> {
  const params = [typeof tag === "number" ? numberToHex(tag) : tag, false];
  const asked = rpcCall("eth_getBlockByNumber", params, header.nullable());
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

export const headerByHash = (block: Hash): RpcCall<Header | undefined> =>
  callByHash("eth_getBlockByHash", [block, false], header);
