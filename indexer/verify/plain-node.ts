import { setTimeout as sleep } from "node:timers/promises";
import type { Hex } from "viem";

/**
 * Reads the chain without any code of the indexer that it checks: one call, one answer, a few retries.
 */

export type PlainLog = {
  address: Hex;
  blockNumber: Hex;
  blockHash: Hex;
  transactionHash: Hex;
  transactionIndex: Hex;
  logIndex: Hex;
  topics: Hex[];
  data: Hex;
  removed?: boolean;
};
export type PlainHeader = { number: Hex; hash: Hex; parentHash: Hex; timestamp: Hex };
export type PlainReceipt = { blockHash: Hex; status: Hex };

/** A call that the node refused or did not answer. */
class PlainNodeError extends Error {
  override readonly name = "PlainNodeError";
}

export type PlainNode = ReturnType<typeof createPlainNode>;

const attempts = 4;
const timeoutMs = 20_000;
const largestRange = 2_000;
/** Most bytes of an answer about several blocks; a larger one is read in parts. */
const largestAnswer = 4 * 1024 * 1024;

export function createPlainNode(url: string) {
  let range = largestRange;

  async function once<Result>(
    method: string,
    params: unknown[],
    largest = Number.POSITIVE_INFINITY,
  ): Promise<Result> {
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
      signal: AbortSignal.timeout(timeoutMs),
    });
    const parts: Uint8Array[] = [];
    let bytes = 0;
    for await (const part of response.body ?? []) {
      bytes += part.length;
      if (bytes > largest) throw new PlainNodeError(`${method}: the answer is over ${largest} bytes`);
      parts.push(part);
    }
    const answer = JSON.parse(Buffer.concat(parts).toString()) as {
      result?: Result;
      error?: { message?: string };
    };
    if (answer.error !== undefined || answer.result === undefined) {
      throw new PlainNodeError(
        `${method}: ${answer.error?.message ?? `HTTP ${response.status} without a result`}`,
      );
    }
    return answer.result;
  }

  async function call<Result>(method: string, params: unknown[]): Promise<Result> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await once<Result>(method, params);
      } catch (error) {
        if (attempt === attempts)
          throw new PlainNodeError(`The node does not answer ${method}: ${String(error)}`);
        await sleep(500 * attempt);
      }
    }
  }

  return {
    chainId: async () => Number(await call<Hex>("eth_chainId", [])),
    header: (block: number) => call<PlainHeader | null>("eth_getBlockByNumber", [toHex(block), false]),
    receipt: (hash: string) => call<PlainReceipt | null>("eth_getTransactionReceipt", [hash]),
    /** Undefined where the node has pruned that state. */
    nonceAt: async (account: string, block: number): Promise<number | undefined> => {
      try {
        return Number(await once<Hex>("eth_getTransactionCount", [account, toHex(block)]));
      } catch {
        return undefined;
      }
    },
    /** Logs of the registry from `from` on, up to a block that the node's limits allow, at most `until`. */
    async logs(registry: Hex, from: number, until: number): Promise<{ logs: PlainLog[]; to: number }> {
      for (;;) {
        const to = Math.min(until, from + range - 1);
        const asked = [{ address: registry, fromBlock: toHex(from), toBlock: toHex(to) }];
        try {
          const logs =
            range > 1
              ? await once<PlainLog[]>("eth_getLogs", asked, largestAnswer)
              : await call<PlainLog[]>("eth_getLogs", asked);
          range = Math.min(largestRange, range * 2);
          return { logs: standing(logs ?? []), to };
        } catch (error) {
          if (range === 1) throw error;
          range = Math.floor(range / 2);
        }
      }
    },
  };
}

/** Logs that were not removed, in order; renumbered by block where the node numbers them by transaction. */
function standing(answered: readonly PlainLog[]): PlainLog[] {
  const places = ({ blockNumber, transactionIndex, logIndex }: PlainLog) =>
    [blockNumber, transactionIndex, logIndex].map(Number) as [number, number, number];
  const byPlace = new Map(answered.filter(({ removed }) => !removed).map((log) => [places(log).join(), log]));
  const logs = [...byPlace.values()].sort((one, other) => {
    const [a, b] = [places(one), places(other)];
    return a[0] - b[0] || a[1] - b[1] || a[2] - b[2];
  });
  return Object.values(Object.groupBy(logs, ({ blockNumber }) => Number(blockNumber))).flatMap(
    (block = []) => {
      const anew = block.some(
        (log, place) => place > 0 && places(log)[2] <= places(block[place - 1] as PlainLog)[2],
      );
      return anew ? block.map((log, place) => ({ ...log, logIndex: toHex(place) })) : block;
    },
  );
}

const toHex = (number: number): Hex => `0x${number.toString(16)}`;
