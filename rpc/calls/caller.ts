import type { Providers } from "../client/providers.ts";
import type { Rpc } from "../client/rpc.ts";
import type { FailureReason } from "../errors/node-error.ts";
import type { RpcCall } from "./rpc-call.ts";

/** Sends typed calls to the providers. */
export type Caller = {
  providers: Providers;
  ask<Output>(rpcCall: RpcCall<Output>): Promise<Output>;
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

export function createCaller(providers: Providers, countFailure: (reason: FailureReason) => void): Caller {
  return {
    providers,
    countFailure,
    ask: (rpcCall) => providers.run(async (rpc) => rpcCall.read(await rpc.request(rpcCall))),
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
