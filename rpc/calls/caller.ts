import type { Providers } from "../client/providers.ts";
import type { Rpc } from "../client/rpc.ts";
import { type FailureReason, NodeError } from "../errors/node-error.ts";
import type { RpcCall } from "./rpc-call.ts";

/** Sends typed calls to the providers. */
export type Caller = {
  providers: Providers;
  ask<Output>(rpcCall: RpcCall<Output>): Promise<Output>;
  /**
   * Calls a method that a node may be missing, which is no failure of its provider.
   * @returns undefined where the provider rejects the call, or answers nothing usable
   */
  askOptional<Output>(rpcCall: RpcCall<Output>): Promise<Output | undefined>;
  /** Sends groups of calls, each to one provider. @returns the results in order */
  inGroups<Asked, Answer>(
    asked: readonly Asked[],
    ask: (rpc: Rpc, group: readonly Asked[]) => Promise<Answer[]>,
  ): Promise<Answer[]>;
  /** Counts a failure that is retried without the caller. */
  countFailure(reason: FailureReason): void;
};

/** Calls to one provider, which decides on the size of their batches. */
const askedTogether = 100;

/** How nodes answer to a method that they are missing. */
const notOffered: FailureReason[] = ["rpc_error", "bad_answer"];

export function createCaller(providers: Providers, countFailure: (reason: FailureReason) => void): Caller {
  return {
    providers,
    countFailure,
    ask: (rpcCall) => providers.run(async (rpc) => rpcCall.read(await rpc.request(rpcCall))),
    askOptional: (rpcCall) =>
      providers.run(async (rpc) => {
        try {
          return rpcCall.read(await rpc.request(rpcCall));
        } catch (error) {
          if (error instanceof NodeError && notOffered.includes(error.reason)) return undefined;
          throw error;
        }
      }),
    async inGroups<Asked, Answer>(
      asked: readonly Asked[],
      ask: (rpc: Rpc, group: readonly Asked[]) => Promise<Answer[]>,
    ): Promise<Answer[]> {
      const groups: Promise<Answer[]>[] = [];
      for (let start = 0; start < asked.length; start += askedTogether) {
        const group = asked.slice(start, start + askedTogether);
        groups.push(providers.run((rpc) => ask(rpc, group)));
      }
      return (await Promise.all(groups)).flat();
    },
  };
}

export async function readAll<Output>(rpc: Rpc, calls: readonly RpcCall<Output>[]): Promise<Output[]> {
  const answers = await rpc.batch(calls);
  return calls.map(({ read }, index) => read(answers[index]));
}
