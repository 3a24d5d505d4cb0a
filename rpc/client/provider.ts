import DataLoader from "dataloader";
import { hostOf } from "../../domain/url/secrets.ts";
import type { FailureReason } from "../errors/node-error.ts";
import { createAbilities } from "./abilities.ts";
import { createBatches } from "./batches.ts";
import { createExchange } from "./exchange.ts";
import { createPace } from "./pace.ts";
import { createPacedExchange } from "./paced.ts";
import { background, type Policy } from "./policy.ts";
import type { Call, Rpc } from "./rpc.ts";

type Options = {
  policy?: Policy;
  /** Aborts running calls. */
  signal?: AbortSignal | undefined;
  /** Called for each failure that is retried here without the caller. */
  countFailure?: (reason: FailureReason) => void;
};

/** Calls one JSON-RPC URL, at the rate and batch size that it accepts. Creating it does not connect. */
export function connectProvider(
  url: string,
  { policy = background, signal, countFailure = () => undefined }: Options = {},
): Rpc {
  const { timeoutMs, mostBytes, mostUnderWay, batchesCalls, waits } = policy;
  const exchange = createExchange(url, { timeoutMs, signal, countFailure }, mostBytes);
  const pace = createPace({ signal, mostUnderWay });
  const paced = createPacedExchange({ exchange, pace, waits, signal, countFailure });
  const inBatches = createBatches({ paced, pace, waits, countFailure });
  const turn = new DataLoader<Call, unknown>(
    async (calls) =>
      (await inBatches(calls, true)).map((outcome) => ("error" in outcome ? outcome.error : outcome.result)),
    { cache: false, batchScheduleFn: setImmediate },
  );

  return {
    name: hostOf(url),
    abilities: createAbilities(),
    close: exchange.close,
    request: batchesCalls ? (call) => turn.load(call) : paced.one,
    batch: async (calls) =>
      (await inBatches(calls, true)).map((outcome) => {
        if ("error" in outcome) throw outcome.error;
        return outcome.result;
      }),
    outcomes: (calls) => inBatches(calls, true),
    each: (calls) => inBatches(calls, false),
  };
}
