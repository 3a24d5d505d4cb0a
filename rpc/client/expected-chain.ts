import type { Logger } from "pino";
import { count } from "../calls/quantities.ts";
import { rpcCall } from "../calls/rpc-call.ts";
import { WrongChainError } from "../errors/chain-errors.ts";
import { NodeError } from "../errors/node-error.ts";
import type { ProviderState } from "./provider-state.ts";
import type { Rpc } from "./rpc.ts";

/**
 * Holds several providers to one chain.
 * @param agree whether they are asked for it before all else, and must be of the first one's
 */
export function createExpectedChain(
  providers: readonly ProviderState[],
  agree: boolean,
  log: Logger | undefined,
) {
  let expected: number | undefined;

  function expect(chainId: number): void {
    if (expected !== chainId) recheck();
    expected = chainId;
  }

  /** Asks each provider for its chain again before its next use. */
  function recheck(): void {
    for (const provider of providers) provider.checked = false;
  }

  return {
    recheck,
    /** The chain, where it is known that the provider serves it. */
    of: (provider: ProviderState | undefined) => (provider?.checked ? expected : undefined),
    /** @throws NodeError, or WrongChainError where there is no other provider */
    async check(provider: ProviderState): Promise<void> {
      if (provider.checked || (expected === undefined && !(agree && providers.length > 1))) return;
      const chainId = await readChainId(provider.rpc);
      if (expected === undefined || (agree && provider === providers[0])) expect(chainId);
      provider.checked = chainId === expected;
      if (provider.checked) return;
      const { name } = provider.rpc;
      const problem = `${name} in RPC_URL serves chain ${chainId}, but chain ${expected} is indexed`;
      log?.error({ provider: name }, problem);
      if (providers.length === 1) throw new WrongChainError(`${problem}. Nothing was changed.`);
      throw new NodeError("wrong_chain", problem);
    },
    /** Asks a provider; from then on only providers of its chain are used. */
    async read(rpc: Rpc): Promise<number> {
      const chainId = await readChainId(rpc);
      expect(chainId);
      for (const provider of providers) if (provider.rpc === rpc) provider.checked = true;
      return chainId;
    },
  };
}

async function readChainId(rpc: Rpc): Promise<number> {
  const asked = rpcCall("eth_chainId", [], count);
  return asked.read(await rpc.request(asked));
}
