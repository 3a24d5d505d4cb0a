import type { z } from "zod";
import type { Call } from "../client/rpc.ts";
import { NodeAnswerError } from "../errors/node-error.ts";

/** A call with the parser of its answer. */
export type RpcCall<Output> = Call & { read: (answer: unknown) => Output };

export function rpcCall<Output>(
  method: string,
  params: readonly unknown[],
  schema: z.ZodType<Output>,
): RpcCall<Output> {
  const read = (answer: unknown) => {
    const parsed = schema.safeParse(answer);
    if (parsed.success) return parsed.data;
    const issue = parsed.error.issues[0];
    throw new NodeAnswerError(method, params, `${issue?.path.join(".")} ${issue?.message}`.trim());
  };
  return { method, params, read };
}
