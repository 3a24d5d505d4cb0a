import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import { type Address, formatEther } from "viem";
import { readCursor } from "../db/chain/index-position.ts";
import type { Pool } from "../db/core/pool.ts";
import { misplacedRegistry } from "../domain/registry/place.ts";
import { backOff, ChainMovedError, FatalError } from "../rpc/errors.ts";
import type { Node } from "../rpc/node.ts";

type Dependencies = { pool: Pool; node: Node; log: Logger };
type Settings = { registry: Address; relayer: Address | undefined };

/**
 * Says once what chain, registry and relayer this process has found, each in a line of its own, whether it leads
 * or stands by; waits for a node that cannot be reached yet.
 * @throws FatalError naming the setting that is wrong
 */
export async function checkNode(
  { pool, node, log }: Dependencies,
  { registry, relayer }: Settings,
  signal: AbortSignal,
): Promise<void> {
  let told: string | undefined;
  for (let failures = 1; !signal.aborted; failures += 1) {
    try {
      return await look();
    } catch (error) {
      if (error instanceof FatalError) throw error;
      const problem = error instanceof Error ? error.message : String(error);
      if (problem !== told && !signal.aborted) log.warn({ problem }, "waiting for the chain's node");
      told = problem;
      await sleep(Math.max(1, backOff(failures)) * 1000, undefined, { signal }).catch(() => undefined);
    }
  }

  async function look(): Promise<void> {
    const chainId = await node.chainId();
    const head = await node.header("latest");
    if (head === undefined) throw new ChainMovedError("The node names no latest block");
    const code = await node.codeAt(registry, "latest");
    const cursor = await readCursor(pool);
    const wrong = misplacedRegistry({ chainId, head: head.number, code, registry }, cursor);
    if (wrong !== undefined) throw new FatalError(wrong);
    const balance = relayer && (await node.balance(relayer));
    log.info({ chainId, head: head.number, client: await node.clientVersion() }, "chain");
    log.info({ registry, indexed: cursor?.blockNumber ?? null }, "registry");
    if (relayer === undefined) return log.info({ relayer: null }, "no relayer: RELAYER_KEY is not set");
    log.info({ relayer, balance: formatEther(balance ?? 0n) }, "relayer");
    if (balance === 0n) log.warn({ relayer }, "the relayer has nothing to pay with: send it funds");
  }
}
