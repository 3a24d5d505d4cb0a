import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import { count } from "../calls/quantities.ts";
import { WrongChainError } from "../errors/chain-errors.ts";
import { isAboutTheCall } from "../errors/error-message.ts";
import { isExecutionFailure } from "../errors/execution-failure.ts";
import { NodeError, RpcError } from "../errors/node-error.ts";
import type { RpcMetrics } from "../metrics.ts";
import { createExpectedChain } from "./expected-chain.ts";
import { background, type Policy } from "./policy.ts";
import { createProviderState, type ProviderHealth, type ProviderState } from "./provider-state.ts";
import type { Call, Rpc } from "./rpc.ts";

export type Work<Output> = (rpc: Rpc) => Promise<Output>;

export type Providers = {
  /** Runs `work` with the current provider, and on failure with the others in turn. */
  run<Output>(work: Work<Output>): Promise<Output>;
  /** Runs `work` with another provider than the current one, if there is one. */
  runElsewhere<Output>(work: Work<Output>): Promise<Output>;
  /**
   * Runs `work`, which not every node can do, with the current provider and then with the others until one succeeds. The
   * current one stays, and a failure counts against no provider, since other work needs less of it.
   * @returns the output, or the failure of each provider
   */
  tryEach<Output>(work: Work<Output>): Promise<{ output: Output } | { problems: NodeError[] }>;
  /** Reports that a well-formed answer of the current provider turned out to be wrong. */
  blame(error: NodeError): void;
  /** The chain of the current provider; providers of other chains are excluded from then on. */
  chainId(): Promise<number>;
  /** Checks the chain of each provider again before its next use. */
  recheckChain(): void;
  /** Reports the newest block of a provider. */
  recordHead(rpc: Rpc, number: number): void;
  /** Probes the idle providers for their newest block. */
  lookAtIdle(): Promise<void>;
  health(): ProviderHealth[];
  close(): void;
};

type Options = { policy?: Policy; log?: Logger | undefined; metrics?: RpcMetrics | undefined };

/** Milliseconds before the only provider is retried. */
const secondAttemptMs = 150;

/**
 * Failover between several providers of one chain. The current one is used until it fails: two providers may be on
 * different forks for a while, and alternating would cause a reorg each time.
 */
export function createProviders(
  rpcs: readonly Rpc[],
  { policy = background, log, metrics }: Options,
): Providers {
  const providers = rpcs.map((rpc, place) => createProviderState(rpc, nameOf(rpcs, place), policy));
  const chain = createExpectedChain(providers, policy.agree, log);
  const closed = new AbortController();
  let [current] = providers;

  const run = <Output>(work: Work<Output>): Promise<Output> => inTime((until) => runRepeatedly(work, until));

  /** @param ask gets the time, by `performance.now`, after which the caller waits no more */
  async function inTime<Output>(ask: (until: number) => Promise<Output>): Promise<Output> {
    const until = performance.now() + policy.deadlineMs;
    if (!Number.isFinite(until)) return ask(until);
    const timer = new AbortController();
    const late = sleep(policy.deadlineMs, undefined, { signal: timer.signal }).then(() => {
      throw new NodeError("timeout", `No node answered within ${policy.deadlineMs / 1000} s`);
    });
    try {
      return await Promise.race([ask(until), late]);
    } finally {
      timer.abort();
      late.catch(() => undefined);
    }
  }

  const isOver = (until: number) => closed.signal.aborted || performance.now() >= until;

  async function runRepeatedly<Output>(work: Work<Output>, until: number): Promise<Output> {
    const most = providers.length > 1 ? 1 : policy.attempts;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await runOnce(work, until);
      } catch (error) {
        if (attempt >= most || !mayPassByItself(error)) throw error;
        const pauseMs = error.retryAfterMs ?? secondAttemptMs;
        if (isOver(until - pauseMs)) throw error;
        await sleep(pauseMs, undefined, { signal: closed.signal }).catch(() => {
          throw error;
        });
      }
    }
  }

  async function runOnce<Output>(work: Work<Output>, until: number): Promise<Output> {
    let problem: unknown;
    for (const provider of candidates()) {
      if (problem !== undefined && isOver(until)) break;
      try {
        const output = await attempt(provider, work);
        moveTo(provider);
        return output;
      } catch (error) {
        problem = error;
        if (!provider.isFault(error)) throw error;
      }
    }
    if (problem instanceof NodeError && problem.reason === "wrong_chain") {
      throw new WrongChainError(`${problem.message}. Nothing was changed.`);
    }
    throw problem;
  }

  async function runElsewhere<Output>(work: Work<Output>): Promise<Output> {
    const other = providers.find((provider) => provider !== current && !provider.isResting());
    if (other === undefined) return run(work);
    try {
      return await attempt(other, work);
    } catch (error) {
      // A second opinion is optional.
      if (!(error instanceof NodeError)) throw error;
      return run(work);
    }
  }

  async function tryEach<Output>(
    work: Work<Output>,
    until: number,
  ): Promise<{ output: Output } | { problems: NodeError[] }> {
    const problems: NodeError[] = [];
    for (const provider of candidates()) {
      if (problems.length > 0 && isOver(until)) break;
      try {
        await chain.check(provider);
        return { output: await work(provider.rpc) };
      } catch (error) {
        if (!(error instanceof NodeError)) throw error;
        metrics?.count("rpc_failure_total", error.reason);
        problems.push(error);
      }
    }
    return { problems };
  }

  async function attempt<Output>(provider: ProviderState, work: Work<Output>): Promise<Output> {
    try {
      await chain.check(provider);
      const output = await work(provider.rpc);
      provider.recordAnswer();
      return output;
    } catch (error) {
      if (isExecutionFailure(error)) provider.recordAnswer();
      else if (error instanceof NodeError) recordFailure(provider, error);
      throw error;
    }
  }

  function recordFailure(provider: ProviderState, error: NodeError): void {
    metrics?.count("rpc_failure_total", error.reason);
    provider.recordFailure(error);
  }

  /** The current provider first, then the others in order, without those that rest, unless all do; a rate limit holds even then. */
  function candidates(): ProviderState[] {
    const order = [...providers].sort((a, b) => Number(b === current) - Number(a === current));
    const awake = order.filter((provider) => !provider.isResting());
    if (awake.length > 0) return awake;
    const unlimited = order.filter((provider) => !provider.isRateLimited);
    if (unlimited.length > 0) return unlimited;
    const restMs = Math.min(...order.map((provider) => provider.restMs()));
    const names = order.map(({ rpc }) => rpc.name).join(", ");
    throw new NodeError("rate_limited", `${names} asked for a rest, which lasts ${restMs} ms more`, restMs);
  }

  function moveTo(provider: ProviderState): void {
    if (provider === current) return;
    metrics?.count("provider_switch_total");
    log?.warn({ from: current?.rpc.name, to: provider.rpc.name }, "failover to another RPC URL");
    current = provider;
  }

  async function readHead(provider: ProviderState): Promise<void> {
    try {
      const head = await attempt(provider, (rpc) => rpc.request(headCall));
      provider.recordHead(count.safeParse(head).data);
    } catch (error) {
      if (!(error instanceof NodeError || error instanceof WrongChainError)) throw error;
    }
  }

  return {
    run,
    runElsewhere,
    tryEach: (work) => inTime((until) => tryEach(work, until)),
    blame(error) {
      if (current !== undefined) recordFailure(current, error);
    },
    async chainId() {
      const known = current?.isResting() ? undefined : chain.of(current);
      return known ?? (await run(chain.read));
    },
    recheckChain: chain.recheck,
    recordHead: (rpc, number) => providers.find((one) => one.rpc === rpc)?.recordHead(number),
    async lookAtIdle() {
      const idle = providers.filter((provider) => provider !== current && !provider.isResting());
      await Promise.all(idle.map(readHead));
    },
    health: () => providers.map((provider) => provider.health(provider === current)),
    close() {
      closed.abort();
      for (const { rpc } of providers) rpc.close();
    },
  };
}

function nameOf(rpcs: readonly Rpc[], place: number): string {
  const { name } = rpcs[place] as Rpc;
  const before = rpcs.slice(0, place).filter((rpc) => rpc.name === name).length;
  return before === 0 ? name : `${name} (${before + 1})`;
}

/** Whether a retry with the same node may succeed; after a timeout it would not. */
function mayPassByItself(error: unknown): error is NodeError {
  if (!(error instanceof NodeError) || error.reason === "timeout" || isExecutionFailure(error)) return false;
  return !(error instanceof RpcError && isAboutTheCall(error.code, error.said));
}

const headCall: Call = { method: "eth_blockNumber", params: [] };
