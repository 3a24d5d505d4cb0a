import { missingParts, rowsWithoutBlock } from "../../db/chain/integrity.ts";
import { inLongSnapshot, pairsOutOfOrder, readLines, readOutcomeRows } from "../../db/chain/rows-as-text.ts";
import type { Pool, Transaction } from "../../db/core/pool.ts";
import { readIndexPosition } from "../../db/reads/index-position.ts";
import type { IndexPosition } from "../../domain/index/index-position.ts";
import { limits } from "../../domain/limits.ts";
import { expectedLine, heldLine } from "./lines.ts";
import { createPlainNode, type PlainNode } from "./plain-node.ts";

export type Verdict = {
  /** The last block that was compared. */
  upTo: number;
  rows: number;
  differences: number;
  /** Nonces of blocks whose state the node has pruned. */
  unchecked: number;
};

/** The comparison is impossible or meaningless. */
export class VerifyError extends Error {
  override readonly name = "VerifyError";
}

type Report = {
  onDifference: (line: string) => void;
  onProgress: (block: number, cursor: IndexPosition) => void;
};

const headersAtOnce = 20;

/**
 * Compares every row of schema `chain` with the chain, range by range, so that the memory it takes does not
 * grow with the index. The database is read in one snapshot: the indexer may go on.
 */
export function verifyIndex(pool: Pool, rpcUrl: string, report: Report): Promise<Verdict> {
  return inLongSnapshot(pool, async (tx) => {
    const cursor = await readIndexPosition(tx);
    if (cursor === undefined) throw new VerifyError("The database holds no index yet.");
    return compare(tx, cursor, createPlainNode(rpcUrl), report);
  });
}

async function compare(
  tx: Transaction,
  cursor: IndexPosition,
  node: PlainNode,
  report: Report,
): Promise<Verdict> {
  const chainId = await node.chainId();
  if (chainId !== cursor.chainId) {
    throw new VerifyError(
      `RPC_URL serves chain ${chainId}, but the database indexes chain ${cursor.chainId}.`,
    );
  }
  const registry = { chainId, address: cursor.registry };
  const verdict: Verdict = { upTo: cursor.blockNumber, rows: 0, differences: 0, unchecked: 0 };
  const differs = (line: string) => {
    verdict.differences += 1;
    report.onDifference(line);
  };
  const agreed = await standsOnChain();
  if (!agreed)
    differs(
      `the index ends on block ${cursor.blockNumber} ${cursor.blockHash}, which the chain does not have`,
    );

  for (let from = cursor.startBlock; from <= cursor.blockNumber; ) {
    const { logs, to } = await node.logs(cursor.registry, from, cursor.blockNumber);
    const expected = logs.map((log) => expectedLine(registry, log));
    const { assets, others, blocks } = await readLines(tx, from, to);
    const held = [...assets.map(heldLine), ...others];
    compareLines(expected, held);
    await compareBlocks(blocks);
    await compareOutcomes(from, to);
    verdict.rows += held.length + blocks.length;
    report.onProgress(to, cursor);
    from = to + 1;
  }
  const before = await readLines(tx, 0, cursor.startBlock - 1);
  await compareBlocks(before.blocks);
  for (const line of [...before.assets.map(heldLine), ...before.others]) differs(`not on the chain: ${line}`);
  const beyond = await readLines(tx, cursor.blockNumber + 1, Number.MAX_SAFE_INTEGER);
  for (const line of [
    ...beyond.assets.map(heldLine),
    ...beyond.others,
    ...beyond.blocks.map((row) => row.line),
  ])
    differs(`beyond the cursor: ${line}`);
  for (const pair of await pairsOutOfOrder(tx)) differs(`counted wrongly: ${pair}`);
  // The deferred indexes are missing during an initial sync.
  const initialSync = cursor.headNumber - cursor.blockNumber > limits.reorgDepth;
  for (const part of await missingParts(tx, initialSync)) differs(`not in the schema: ${part}`);
  for (const place of await rowsWithoutBlock(tx)) differs(`without a block: ${place}`);

  if (agreed && !(await standsOnChain())) {
    throw new VerifyError("The chain was reorganised while it was compared. Run it again.");
  }
  return verdict;

  async function standsOnChain(): Promise<boolean> {
    if (cursor.blockHash === undefined) return true;
    return (await node.header(cursor.blockNumber))?.hash === cursor.blockHash;
  }

  function compareLines(expected: readonly string[], held: readonly string[]): void {
    const [wanted, found] = [new Set(expected), new Set(held)];
    for (const line of wanted) if (!found.has(line)) differs(`missing: ${line}`);
    for (const line of found) if (!wanted.has(line)) differs(`not on the chain: ${line}`);
  }

  async function compareBlocks(blocks: readonly { number: number; line: string }[]): Promise<void> {
    for (let start = 0; start < blocks.length; start += headersAtOnce) {
      const some = blocks.slice(start, start + headersAtOnce);
      const headers = await Promise.all(some.map(({ number }) => node.header(number)));
      const lines = headers.flatMap((header) =>
        header === null
          ? []
          : [
              `block ${Number(header.number)} ${header.hash} ${header.parentHash} ${Number(header.timestamp)}`,
            ],
      );
      compareLines(
        lines,
        some.map(({ line }) => line),
      );
    }
  }

  async function compareOutcomes(from: number, to: number): Promise<void> {
    const { nonces, reverts } = await readOutcomeRows(tx, from, to);
    verdict.rows += nonces.length + reverts.length;
    for (const { hash, block, blockHash } of reverts) {
      const receipt = await node.receipt(hash);
      const same = receipt !== null && receipt.blockHash === blockHash && Number(receipt.status) === 0;
      if (!same) differs(`not on the chain: revert ${hash} in block ${block}`);
    }
    for (const { address, block, nonce } of nonces) {
      const onChain = await node.nonceAt(address, block);
      if (onChain === undefined) verdict.unchecked += 1;
      else if (onChain !== nonce)
        differs(`nonce of ${address} at block ${block}: ${nonce}, on the chain ${onChain}`);
    }
  }
}
