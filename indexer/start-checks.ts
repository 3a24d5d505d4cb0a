import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import { type Address, formatEther } from "viem";
import type { Pool } from "../db/core/pool.ts";
import { readIndexPosition } from "../db/reads/index-position.ts";
import { backOff } from "../domain/back-off.ts";
import { misplacedRegistry } from "../domain/registry/place.ts";
import { ChainMovedError } from "../rpc/errors/chain-errors.ts";
import type { Node } from "../rpc/node.ts";
import { FatalError, isFatal } from "./fatal-error.ts";

type Dependencies = { pool: Pool; node: Node; log: Logger };
type Settings = { registry: Address; relayer: Address | undefined };

/**
 * Checks and logs chain, registry and relayer, a line each, in a standby too; waits for an unreachable node.
 * @throws FatalError naming the setting that is wrong
 */
export async function checkNode(
  { pool, node, log }: Dependencies,
  { registry, relayer }: Settings,
  signal: AbortSignal,
): Promise<void> {
  let logged: string | undefined;
  for (let failures = 1; !signal.aborted; failures += 1) {
    try {
      return await check();
    } catch (error) {
      if (isFatal(error)) throw error;
      const message = error instanceof Error ? error.message : String(error);
      if (message !== logged && !signal.aborted) log.warn({ err: { message } }, "waiting for the node");
      logged = message;
      await sleep(Math.max(1, backOff(failures)) * 1000, undefined, { signal }).catch(() => undefined);
    }
  }

  async function check(): Promise<void> {
    const chainId = await node.chainId();
    const head = await node.header("latest");
    if (head === undefined) throw new ChainMovedError("The node has no latest block");
    const code = await node.codeAt(registry, "latest");
    const cursor = await readIndexPosition(pool);
    const wrong = misplacedRegistry({ chainId, head: head.number, code, registry }, cursor);
    if (wrong !== undefined) throw new FatalError(wrong);
    const balance = relayer && (await node.balance(relayer));
    log.info({ chainId, head: head.number, client: await node.clientVersion() }, "chain checked");
    log.info({ registry, indexed: cursor?.blockNumber ?? null }, "registry checked");
    if (relayer === undefined) return log.info({ relayer: null }, "relayer disabled: RELAYER_KEY is not set");
    log.info({ relayer, balance: formatEther(balance ?? 0n) }, "relayer enabled");
    if (balance === 0n) log.warn({ relayer }, "relayer has no funds: send it some");
  }
}
