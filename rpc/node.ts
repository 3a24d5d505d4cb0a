import type { Logger } from "pino";
import { z } from "zod";
import { accountCalls } from "./calls/accounts.ts";
import { blockCalls } from "./calls/blocks.ts";
import { createCaller } from "./calls/caller.ts";
import { contractCalls } from "./calls/contract.ts";
import { feeCalls } from "./calls/fees.ts";
import { createHeaderReader } from "./calls/header-reader.ts";
import { logCalls } from "./calls/logs.ts";
import { proofCalls } from "./calls/proof.ts";
import { rpcCall } from "./calls/rpc-call.ts";
import { transactionCalls } from "./calls/transactions.ts";
import { background, type Policy } from "./client/policy.ts";
import { connectProvider } from "./client/provider.ts";
import { createProviders } from "./client/providers.ts";
import type { FailureReason } from "./errors/node-error.ts";
import type { RpcMetrics } from "./metrics.ts";

export type Node = ReturnType<typeof connectNode>;

export type NodeOptions = {
  policy?: Policy;
  /** Aborts running calls, so that the process can end. */
  signal?: AbortSignal;
  log?: Logger;
  metrics?: RpcMetrics;
};

const versionCall = rpcCall("web3_clientVersion", [], z.string().max(200));

/**
 * The chain's node behind one or several JSON-RPC URLs, with every answer parsed. Calls reject with NodeError, whose
 * reason says whether the node was unreachable, rejected or gave an unusable answer, and with WrongChainError. Creating it
 * does not connect.
 * @param urls WebSocket URLs are ignored: they only announce blocks
 */
export function connectNode(urls: readonly string[], options: NodeOptions = {}) {
  const { policy = background, signal, log, metrics } = options;
  const http = urls.filter((url) => /^https?:/i.test(url));
  if (http.length === 0) throw new Error("connectNode needs a URL of HTTP");
  const countFailure = (reason: FailureReason) => metrics?.count("rpc_failure_total", reason);
  const providers = createProviders(
    http.map((url) => connectProvider(url, { policy, signal, countFailure })),
    { policy, log, metrics },
  );
  const caller = createCaller(providers, countFailure);
  const reader = createHeaderReader(countFailure);

  return {
    /** Chain of the current provider; providers of other chains are excluded from then on. */
    chainId: providers.chainId,
    /** The node's client version; undefined where the provider has no such method. */
    clientVersion: () => caller.askOptional(versionCall).catch(() => undefined),
    /** Checks the chain again before the next call, after contradictory answers. */
    recheckChain: providers.recheckChain,
    /** Reports that a well-formed answer turned out to be wrong, so that another provider is used. */
    blame: providers.blame,
    /** Health of each provider. */
    health: providers.health,
    lookAtIdle: providers.lookAtIdle,
    /** Whether there is another provider for a second opinion. */
    severalProviders: http.length > 1,
    ...blockCalls(caller, reader),
    ...logCalls(caller, reader),
    ...accountCalls(caller, reader),
    ...contractCalls(caller),
    ...transactionCalls(caller),
    ...proofCalls(caller),
    ...feeCalls(caller),
    close: providers.close,
  };
}
