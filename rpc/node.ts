import type { Logger } from "pino";
import { z } from "zod";
import { accountCalls } from "./calls/accounts.ts";
import { blockCalls } from "./calls/blocks.ts";
import { createCaller } from "./calls/caller.ts";
import { contractCalls } from "./calls/contract.ts";
import { feeCalls } from "./calls/fees.ts";
import { createHeaderReader } from "./calls/header-reader.ts";
import { logCalls } from "./calls/logs.ts";
import { question } from "./calls/question.ts";
import { transactionCalls } from "./calls/transactions.ts";
import { background, type Policy } from "./client/policy.ts";
import { connectProvider } from "./client/provider.ts";
import { createProviders } from "./client/providers.ts";
import type { FailureReason } from "./errors/node-error.ts";
import type { RpcMetrics } from "./metrics.ts";

export type Node = ReturnType<typeof connectNode>;

export type NodeOptions = {
  policy?: Policy;
  /** Ends the calls under way, so that nothing waits for a node when the process is to end. */
  signal?: AbortSignal;
  log?: Logger;
  metrics?: RpcMetrics;
};

const versionQuestion = question("web3_clientVersion", [], z.string().max(200));

/**
 * The chain's node behind one or several JSON-RPC URLs: each answer is parsed before anything believes it.
 * Calls reject with NodeError, whose reason says whether the node did not answer, refused or answered nonsense,
 * and with WrongChainError. Nothing here connects.
 * @param urls those of WebSockets are left out: they only announce blocks
 */
export function connectNode(urls: readonly string[], options: NodeOptions = {}) {
  const { policy = background, signal, log, metrics } = options;
  const http = urls.filter((url) => /^https?:/i.test(url));
  if (http.length === 0) throw new Error("connectNode needs a URL of HTTP");
  const note = (reason: FailureReason) => metrics?.count("rpc_failure_total", reason);
  const providers = createProviders(
    http.map((url) => connectProvider(url, { policy, signal, note })),
    { policy, log, metrics },
  );
  const caller = createCaller(providers, note);
  const reader = createHeaderReader(note);

  return {
    /** Chain of the provider in use; from then on providers of another chain are left out. */
    chainId: providers.chainId,
    /** What the node calls itself; undefined where it does not say, as some providers. */
    clientVersion: () => caller.ask(versionQuestion).catch(() => undefined),
    /** Asks for the chain again before the next call: what the node says fits no more to what it said before. */
    recheckChain: providers.recheckChain,
    /** Notes that an answer, good in form, has turned out to be wrong: another provider may do better. */
    blame: providers.blame,
    /** How each provider does. */
    health: providers.health,
    lookAtIdle: providers.lookAtIdle,
    /** Whether there is another provider to ask for a second opinion. */
    severalProviders: http.length > 1,
    ...blockCalls(caller, reader),
    ...logCalls(caller, reader),
    ...accountCalls(caller, reader),
    ...contractCalls(caller),
    ...transactionCalls(caller),
    ...feeCalls(caller),
    close: providers.close,
  };
}
