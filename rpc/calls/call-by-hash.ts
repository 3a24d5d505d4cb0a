import type { Hash } from "viem";
import type { z } from "zod";
import { NodeAnswerError } from "../errors/node-error.ts";
import { type RpcCall, rpcCall } from "./rpc-call.ts";

/**
 * A call about one block or transaction, whose hash its answer must name again. The answer is undefined where the node does
 * not have it.
 */
export function callByHash<Output extends { hash: Hash }>(
  method: string,
  params: readonly [Hash, ...unknown[]],
  schema: z.ZodType<Output>,
): RpcCall<Output | undefined> {
  const asked = rpcCall(method, params, schema.nullable());
  return {
    ...asked,
    read: (answer) => {
      const found = asked.read(answer) ?? undefined;
      if (found === undefined || found.hash === params[0].toLowerCase()) return found;
      throw new NodeAnswerError(method, params, `it is about ${found.hash}`);
    },
  };
}
