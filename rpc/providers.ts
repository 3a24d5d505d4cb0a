import type { Logger } from "pino";
import type { Metrics } from "../indexer/monitoring/metrics.ts";
import { FatalError, NodeError } from "./errors.ts";
import { count } from "./quantities.ts";
import type { Call, Rpc } from "./rpc.ts";

type Provider = {
  rpc: Rpc;
  /** Its host, and where several have the same one, which of them it is. */
  name: string;
  /** Whether it serves the chain that we index; asked again after it was away. */
  checked: boolean;
  /** Failed calls in a row. */
  failures: number;
  restUntil: number;
  /** The node itself asked for the rest, so it is not disturbed even where there is no other. */
  askedToRest: boolean;
  health: Omit<ProviderHealth, "name" | "inUse">;
};

/** What operators want to know of a provider. */
export type ProviderHealth = {
  /** Host of its URL. */
  name: string;
  inUse: boolean;
  /** Whether it answered when it was asked last; undefined before. */
  up: boolean | undefined;
  /** Since when it is up, or is not. */
  since: Date | undefined;
  /** Why it is not up. */
  problem: string | undefined;
  head: number | undefined;
  /** Calls since the start that were answered, and that were not. */
  answered: number;
  failed: number;
};

export type Work<Output> = (rpc: Rpc) => Promise<Output>;

export type Providers = {
  /** Does the work with the provider in use; where that fails, with the others in turn. */
  run<Output>(work: Work<Output>): Promise<Output>;
  /** Does the work with another provider than the one in use; with this one where there is no other. */
  runElsewhere<Output>(work: Work<Output>): Promise<Output>;
  /** Notes that an answer of the provider in use, good in form, has turned out to be wrong. */
  blame(error: NodeError): void;
  /** From now on only providers of this chain are used. */
  expectChain(chainId: number): void;
  /** Asks each provider for its chain again before its next use. */
  recheckChain(): void;
  /** Notes the newest block that a provider names. */
  noteHead(rpc: Rpc, number: number): void;
  /** Asks each that is not in use whether it is there, and for its newest block. */
  lookAtIdle(): Promise<void>;
  health(): ProviderHealth[];
  close(): void;
};

type Dependencies = { log?: Logger | undefined; metrics?: Metrics | undefined };

const longestRestMs = 30_000;
const longestUnaskedRestMs = 8_000;
/** A node may refuse single calls with good reason; one that refuses so many in a row is ill. */
const refusalsAllowed = 3;

/**
 * Several providers of one chain. The one in use stays in use until it fails: two of them may be on different
 * forks for a while, and going to and fro would show each change twice.
 */
export function createProviders(rpcs: readonly Rpc[], { log, metrics }: Dependencies): Providers {
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
      throw new FatalError(`${problem.message}. Nothing was changed.`);
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
      provider.failures = 0;
      provider.restUntil = 0;
      provider.health.answered += 1;
      noteUp(provider, undefined);
      return output;
    } catch (error) {
      if (error instanceof NodeError) noteFailure(provider, error);
      throw error;
    }
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
    const longest = provider.askedToRest ? longestUnaskedRestMs : longestRestMs;
    const rest = error.retryAfterMs ?? Math.min(longest, 500 * 2 ** Math.min(provider.failures, 6));
    provider.restUntil = Date.now() + rest;
  }

  /** Whether another provider may do better. What the node says about our own call, it would say, too. */
  function isFault(provider: Provider, error: unknown): boolean {
    if (!(error instanceof NodeError) || error.reason === "too_much") return false;
    return error.reason !== "rpc_error" || provider.failures > refusalsAllowed;
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
    if (provider.checked || expected === undefined) return;
    const answer = await provider.rpc.request(chainIdCall);
    if (typeof answer === "string" && Number(answer) === expected) {
      provider.checked = true;
      return;
    }
    const problem = `${provider.rpc.name} in RPC_URL serves chain ${Number(answer)}, but chain ${expected} is indexed`;
    log?.error({ provider: provider.rpc.name }, problem);
    if (providers.length === 1) throw new FatalError(`${problem}. Nothing was changed.`);
    throw new NodeError("wrong_chain", problem);
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
    expectChain(chainId) {
      expected = chainId;
    },
    recheckChain() {
      for (const provider of providers) provider.checked = false;
    },
    noteHead(rpc, number) {
      const provider = providers.find((one) => one.rpc === rpc);
      if (provider !== undefined) provider.health.head = number;
    },
    async lookAtIdle() {
      const idle = providers.filter((provider) => provider !== current && !isResting(provider));
      await Promise.all(
        idle.map(async (provider) => {
          const asked = await attempt(provider, (rpc) => rpc.request(headCall)).catch((error: unknown) => {
            if (!(error instanceof NodeError || error instanceof FatalError)) throw error;
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

const headCall: Call = { method: "eth_blockNumber", params: [] };
const chainIdCall: Call = { method: "eth_chainId", params: [] };
