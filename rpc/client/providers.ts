import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import { backOff } from "../../domain/back-off.ts";
import { count } from "../calls/quantities.ts";
import { question } from "../calls/question.ts";
import { WrongChainError } from "../errors/chain-errors.ts";
import { isExecutionFailure } from "../errors/execution-failure.ts";
import { NodeError, RpcError } from "../errors/node-error.ts";
import { isAboutTheCall } from "../errors/refusal.ts";
import type { RpcMetrics } from "../metrics.ts";
import { background, type Policy } from "./policy.ts";
import type { ProviderHealth } from "./provider-health.ts";
import type { Call, Rpc } from "./rpc.ts";

type Provider = {
  rpc: Rpc;
  /** Its host, and where several have the same one, which of them it is. */
  name: string;
  /** Whether it serves the expected chain; asked again after it was away. */
  checked: boolean;
  /** Failed calls in a row. */
  failures: number;
  restUntil: number;
  /** The node itself asked for the rest, so it is not disturbed even where there is no other. */
  askedToRest: boolean;
  health: Omit<ProviderHealth, "name" | "inUse">;
};

export type Work<Output> = (rpc: Rpc) => Promise<Output>;

export type Providers = {
  /** Does the work with the provider in use; where that fails, with the others in turn. */
  run<Output>(work: Work<Output>): Promise<Output>;
  /** Does the work with another provider than the one in use; with this one where there is no other. */
  runElsewhere<Output>(work: Work<Output>): Promise<Output>;
  /** Notes that an answer of the provider in use, good in form, has turned out to be wrong. */
  blame(error: NodeError): void;
  /** The chain of the provider in use, asked for where it is not known; from then on others are left out. */
  chainId(): Promise<number>;
  /** Asks each provider for its chain again before its next use. */
  recheckChain(): void;
  /** Notes the newest block that a provider names. */
  noteHead(rpc: Rpc, number: number): void;
  /** Asks each that is not in use whether it is there, and for its newest block. */
  lookAtIdle(): Promise<void>;
  health(): ProviderHealth[];
  close(): void;
};

type Options = { policy?: Policy; log?: Logger | undefined; metrics?: RpcMetrics | undefined };

/** Seconds for which a provider that failed again and again, or refused for the pace, is left alone at most. */
const [longestRest, longestUnaskedRest] = [30, 8];
/** Before the only provider is asked a second time. */
const secondAttemptMs = 150;

/**
 * Several providers of one chain. The one in use stays in use until it fails: two of them may be on different
 * forks for a while, and going to and fro would show each change twice.
 */
export function createProviders(
  rpcs: readonly Rpc[],
  { policy = background, log, metrics }: Options,
): Providers {
  const providers = rpcs.map(
    (rpc, place): Provider => ({
      rpc,
      name: nameOf(rpcs, place),
      checked: false,
      failures: 0,
      restUntil: 0,
      askedToRest: false,
      health: {
        up: undefined,
        since: undefined,
        problem: undefined,
        head: undefined,
        answered: 0,
        failed: 0,
      },
    }),
  );
  let [current] = providers;
  let expected: number | undefined;

  async function run<Output>(work: Work<Output>): Promise<Output> {
    if (!Number.isFinite(policy.deadlineMs)) return runRepeatedly(work);
    const timer = new AbortController();
    const late = sleep(policy.deadlineMs, undefined, { signal: timer.signal }).then(() => {
      throw new NodeError("timeout", `No node answered within ${policy.deadlineMs / 1000} s`);
    });
    try {
      return await Promise.race([runRepeatedly(work), late]);
    } finally {
      timer.abort();
      late.catch(() => undefined);
    }
  }

  async function runRepeatedly<Output>(work: Work<Output>): Promise<Output> {
    const most = providers.length > 1 ? 1 : policy.attempts;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await runOnce(work);
      } catch (error) {
        if (attempt >= most || !mayPassByItself(error)) throw error;
        await sleep(error.retryAfterMs ?? secondAttemptMs);
      }
    }
  }

  async function runOnce<Output>(work: Work<Output>): Promise<Output> {
    let problem: unknown;
    for (const provider of candidates()) {
      try {
        const output = await attempt(provider, work);
        moveTo(provider);
        return output;
      } catch (error) {
        problem = error;
        if (!isFault(provider, error)) throw error;
      }
    }
    if (problem instanceof NodeError && problem.reason === "wrong_chain") {
      throw new WrongChainError(`${problem.message}. Nothing was changed.`);
    }
    throw problem;
  }

  async function runElsewhere<Output>(work: Work<Output>): Promise<Output> {
    const other = providers.find((provider) => provider !== current && !isResting(provider));
    if (other === undefined) return run(work);
    try {
      return await attempt(other, work);
    } catch (error) {
      // A second opinion is worth having, not worth stopping for.
      if (!(error instanceof NodeError)) throw error;
      return run(work);
    }
  }

  async function attempt<Output>(provider: Provider, work: Work<Output>): Promise<Output> {
    try {
      await checkChain(provider);
      const output = await work(provider.rpc);
      noteAnswer(provider);
      return output;
    } catch (error) {
      if (isExecutionFailure(error)) noteAnswer(provider);
      else if (error instanceof NodeError) noteFailure(provider, error);
      throw error;
    }
  }

  function noteAnswer(provider: Provider): void {
    provider.failures = 0;
    provider.restUntil = 0;
    provider.health.answered += 1;
    noteUp(provider, undefined);
  }

  function noteUp({ health }: Provider, problem: NodeError | undefined): void {
    const up = problem === undefined;
    health.problem = problem?.message;
    if (health.up === up) return;
    health.up = up;
    health.since = new Date();
  }

  function noteFailure(provider: Provider, error: NodeError): void {
    metrics?.count("rpc_failure_total", error.reason);
    error.provider ??= provider.name;
    provider.health.failed += 1;
    // Calls that were under way together fail together: that is one failure.
    if (error.reason === "too_much" || isResting(provider)) return;
    provider.failures += 1;
    if (error.reason === "unreachable") provider.checked = false;
    if (!isFault(provider, error)) return;
    noteUp(provider, error);
    provider.askedToRest = error.reason === "rate_limited";
    const longest = provider.askedToRest ? longestUnaskedRest : longestRest;
    const restMs = error.retryAfterMs ?? backOff(provider.failures + 1, longest) * 1000;
    provider.restUntil = Date.now() + Math.min(policy.longestRestMs, restMs);
  }

  /** Whether another provider may do better. What the node says about our own call, it would say, too. */
  function isFault(provider: Provider, error: unknown): boolean {
    if (!(error instanceof NodeError) || error.reason === "too_much" || isExecutionFailure(error))
      return false;
    return error.reason !== "rpc_error" || provider.failures > policy.refusalsAllowed;
  }

  const isResting = (provider: Provider) => provider.restUntil > Date.now();

  /** The provider in use first, then the others in their order. None that asked to be left alone. */
  function candidates(): Provider[] {
    const order = [...providers].sort((a, b) => Number(b === current) - Number(a === current));
    const awake = order.filter((provider) => !isResting(provider));
    if (awake.length > 0) return awake;
    const patient = order.filter((provider) => !provider.askedToRest);
    if (patient.length > 0) return patient;
    const restMs = Math.min(...order.map(({ restUntil }) => restUntil)) - Date.now();
    const names = order.map(({ rpc }) => rpc.name).join(", ");
    throw new NodeError("rate_limited", `${names} asked for a rest, which lasts ${restMs} ms more`, restMs);
  }

  async function checkChain(provider: Provider): Promise<void> {
    const agree = policy.agree && providers.length > 1;
    if (provider.checked || (expected === undefined && !agree)) return;
    const chainId = await readChainId(provider.rpc);
    if (expected === undefined || (policy.agree && provider === providers[0])) expect(chainId);
    provider.checked = chainId === expected;
    if (provider.checked) return;
    const problem = `${provider.rpc.name} in RPC_URL serves chain ${chainId}, but chain ${expected} is indexed`;
    log?.error({ provider: provider.rpc.name }, problem);
    if (providers.length === 1) throw new WrongChainError(`${problem}. Nothing was changed.`);
    throw new NodeError("wrong_chain", problem);
  }

  function expect(chainId: number): void {
    if (expected !== chainId) recheckChain();
    expected = chainId;
  }

  function recheckChain(): void {
    for (const provider of providers) provider.checked = false;
  }

  async function chainId(): Promise<number> {
    if (expected !== undefined && current?.checked && !isResting(current)) return expected;
    return run(async (rpc) => {
      const answer = await readChainId(rpc);
      expect(answer);
      for (const provider of providers) if (provider.rpc === rpc) provider.checked = true;
      return answer;
    });
  }

  function moveTo(provider: Provider): void {
    if (provider === current) return;
    metrics?.count("provider_switch_total");
    log?.warn({ from: current?.rpc.name, to: provider.rpc.name }, "failover to another RPC URL");
    current = provider;
  }

  return {
    run,
    runElsewhere,
    blame(error) {
      if (current !== undefined) noteFailure(current, error);
    },
    chainId,
    recheckChain,
    noteHead(rpc, number) {
      const provider = providers.find((one) => one.rpc === rpc);
      if (provider !== undefined) provider.health.head = number;
    },
    async lookAtIdle() {
      const idle = providers.filter((provider) => provider !== current && !isResting(provider));
      await Promise.all(
        idle.map(async (provider) => {
          const asked = await attempt(provider, (rpc) => rpc.request(headCall)).catch((error: unknown) => {
            if (!(error instanceof NodeError || error instanceof WrongChainError)) throw error;
          });
          if (asked !== undefined) provider.health.head = count.safeParse(asked).data;
        }),
      );
    },
    health: () =>
      providers.map((provider) => ({
        name: provider.name,
        inUse: provider === current,
        ...provider.health,
      })),
    close() {
      for (const { rpc } of providers) rpc.close();
    },
  };
}

function nameOf(rpcs: readonly Rpc[], place: number): string {
  const { name } = rpcs[place] as Rpc;
  const before = rpcs.slice(0, place).filter((rpc) => rpc.name === name).length;
  return before === 0 ? name : `${name} (${before + 1})`;
}

/** Whether the same may be answered when it is asked once more; a node that was silent for so long stays so. */
function mayPassByItself(error: unknown): error is NodeError {
  if (!(error instanceof NodeError) || error.reason === "timeout" || isExecutionFailure(error)) return false;
  return !(error instanceof RpcError && isAboutTheCall(error.code, error.said));
}

async function readChainId(rpc: Rpc): Promise<number> {
  const asked = question("eth_chainId", [], count);
  return asked.read(await rpc.request(asked));
}

const headCall: Call = { method: "eth_blockNumber", params: [] };
