import { expect } from "chai";
import type { Hex } from "viem";
import type { Pool } from "../../db/core/pool.ts";
import { readIndexPosition } from "../../db/reads/index-position.ts";
import { verifyIndex } from "../../indexer/verify/verify.ts";

/**
 * Invariants that hold at the end of every test of the service: the index equals the chain as far as it has come, each
 * row once and of no block that the chain does not have, and no secret is in a log.
 */

/** @throws where the index differs from the chain. One that stands on a block which the chain has lost is still to go back. */
export async function expectIndexOfChain(pool: Pool, rpcUrl: string): Promise<void> {
  const cursor = await readIndexPosition(pool);
  if (cursor?.blockHash === undefined || !(await hasBlock(rpcUrl, cursor.blockHash))) return;
  const differences: string[] = [];
  await verifyIndex(pool, rpcUrl, {
    onDifference: (line) => differences.push(line),
    onProgress: () => undefined,
  });
  expect(differences, "differences between the index and the chain at the end").to.deep.equal([]);
}

/** Whether the block with this hash is one of the chain, not only one that the node remembers. */
async function hasBlock(rpcUrl: string, hash: Hex): Promise<boolean> {
  const ask = async (method: string, block: Hex) => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: [block, false] });
    const headers = { "content-type": "application/json" };
    const answer = (await (await fetch(rpcUrl, { method: "POST", headers, body })).json()) as {
      result: { number: Hex; hash: Hex } | null;
    };
    return answer.result;
  };
  const block = await ask("eth_getBlockByHash", hash);
  return block !== null && (await ask("eth_getBlockByNumber", block.number))?.hash === hash;
}

/** Notes what must be in no log. */
export function secretsKept(first: readonly string[]) {
  const secrets = new Set(first);
  return {
    /** A call that a test makes: what it authenticates with, and what was signed. */
    note(bearer: string | undefined, body: unknown): void {
      if (bearer !== undefined) secrets.add(bearer);
      if (typeof body !== "object" || body === null) return;
      for (const name of ["signature", "signedTransaction"]) {
        const value: unknown = Reflect.get(body, name);
        if (typeof value === "string") secrets.add(value);
      }
    },
    /** @throws where the log holds one; of a short one that may be there by chance nothing is said */
    expectNoneIn(lines: readonly string[]): void {
      const log = lines.join("");
      const told = [...secrets].filter((secret) => secret.length >= 32 && log.includes(secret));
      expect(told, "secrets in the log").to.deep.equal([]);
    },
  };
}
