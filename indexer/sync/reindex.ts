import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import type { Hex } from "viem";
import { insertBlocks } from "../../db/chain/blocks.ts";
import { deferredIndexesMissing } from "../../db/chain/deferred-indexes.ts";
import {
  beginRebuild,
  copyOutcomes,
  createRebuild,
  dropRebuild,
  inRebuild,
  replaceIndex,
  requestsRebuilt,
  takeOverFinality,
  takeOverHead,
} from "../../db/chain/rebuild.ts";
import { inLongSnapshot, readOutcomeRows } from "../../db/chain/rows-as-text.ts";
import { analyzeIndex } from "../../db/core/analyze.ts";
import type { Pool, Transaction } from "../../db/core/pool.ts";
import { readIndexPosition } from "../../db/reads/index-position.ts";
import { tellRebuilt } from "../../db/service/events/chain-events.ts";
import { recordStates } from "../../db/service/requests/history.ts";
import { makeDue, tieTransactions } from "../../db/service/transactions/mined.ts";
import { backOff } from "../../domain/back-off.ts";
import { toBytes } from "../../domain/bytes.ts";
import type { IndexPosition } from "../../domain/index/index-position.ts";
import { limits } from "../../domain/limits.ts";
import type { Header } from "../../rpc/calls/header.ts";
import { ChainMovedError } from "../../rpc/errors/chain-errors.ts";
import type { Node } from "../../rpc/node.ts";
import { FatalError } from "../fatal-error.ts";
import { storeBlocks } from "./apply.ts";
import { createBackfill } from "./backfill.ts";
import { createFinality } from "./finality.ts";
import { createTail } from "./follow-head.ts";
import { lastBefore } from "./range.ts";
import type { Read } from "./read-range.ts";

type Dependencies = { pool: Pool; node: Node; log: Logger; onProgress?: (cursor: IndexPosition) => void };

const finishAttempts = 10;
const readAttempts = 8;

/**
 * Builds a second index from the chain while the live one is served and written, and swaps them in one transaction.
 * Data of the service stays; requests whose state differs by the new index get an entry in their history.
 * @throws FatalError where node and database do not belong together
 */
export async function reindex(dependencies: Dependencies): Promise<IndexPosition> {
  const { pool, node } = dependencies;
  const chainId = await node.chainId();
  const live = await readIndexPosition(pool);
  if (live === undefined) throw new FatalError("The database holds no index yet: start the indexer instead.");
  if (live.chainId !== chainId) {
    throw new FatalError(`RPC_URL serves chain ${chainId}, but the database indexes chain ${live.chainId}.`);
  }
  const id = randomUUID();
  await createRebuild(pool, id);
  try {
    await fill(dependencies, id);
    // The planner needs statistics before the index is served.
    await inRebuild(pool, id, analyzeIndex);
    return await finish(dependencies, id);
  } catch (error) {
    // If it cannot be dropped now, the next rebuild drops it.
    await dropRebuild(pool, id).catch(() => undefined);
    throw error;
  }
}

/** Reads everything that is too deep for a reorg. */
async function fill({ pool, node, onProgress = () => {} }: Dependencies, id: string): Promise<void> {
  const backfill = createBackfill(node);
  let cursor = await inRebuild(pool, id, async (tx) => {
    await beginRebuild(tx);
    return requireCursor(tx);
  });
  if (cursor.startBlock > 0) {
    // The parent of the first block ties the index to its chain in a deep reorg.
    const last = cursor.startBlock - 1;
    const before = await again(async () => (await node.header(last)) ?? (await lastBefore(node, last)));
    await inRebuild(pool, id, (tx) => insertBlocks(tx, [before]));
  }
  for (;;) {
    onProgress(cursor);
    const until = (await again(() => node.header("latest"))).number - limits.reorgDepth;
    if (cursor.blockNumber >= until) return;
    const read = await again(() => backfill.read(cursor, until));
    cursor = await inRebuild(pool, id, (tx) => store(tx, cursor, read, undefined));
  }
}

/** Reads the newest blocks, up to the end of the live index, and swaps the two. */
async function finish({ pool, node, log }: Dependencies, id: string): Promise<IndexPosition> {
  const wrong = await contradictedOutcomes(pool, node);
  // An initial sync tells of nothing, and neither does the rebuild that takes its place.
  const wasComplete = !(await deferredIndexesMissing(pool));
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await replace();
    } catch (error) {
      if (!(error instanceof ChainMovedError) || attempt === finishAttempts) throw error;
      log.info({ err: { message: error.message } }, "reindex: reading the newest blocks again");
    }
  }

  async function replace(): Promise<IndexPosition> {
    const begun = await inRebuild(pool, id, requireCursor);
    const target = await liveEnd(pool, node);
    const { reads, end } = await readUpTo(node, begun, target.number);
    const { confirmations } = (await readIndexPosition(pool)) ?? begun;
    const finality = createFinality({ pool, node, confirmations, log });
    const known = new Map(reads.flatMap(({ blocks }) => blocks.map((block) => [block.number, block])));
    const finalNumber = await finality.asOf({ number: end.blockNumber }, known);
    await replaceIndex(pool, id, async (tx, live) => {
      if (live !== undefined && target.stands && !isUpTo(end, live)) {
        throw new ChainMovedError("The live index has moved on");
      }
      let cursor = begun;
      for (const read of reads) cursor = await store(tx, cursor, read, finalNumber);
      await takeOverHead(tx);
      const lost = await takeOverFinality(tx, finalNumber);
      if (lost !== undefined) log.error(lost, "final blocks are no longer on the chain");
      await copyOutcomes(tx, wrong);
      if (wasComplete) await tellRebuilt(tx);
      const requests = await requestsRebuilt(tx);
      await tieTransactions(tx, requests);
      await makeDue(tx, requests);
      await recordStates(tx, requests);
    });
    return end;
  }
}

async function readUpTo(
  node: Node,
  from: IndexPosition,
  last: number,
): Promise<{ reads: Read[]; end: IndexPosition }> {
  const tail = createTail(node);
  const reads: Read[] = [];
  let end = from;
  while (end.blockNumber < last) {
    const read = await again(() => tail.read(end, last));
    reads.push(read);
    end = after(end, read);
  }
  return { reads, end };
}

/** The last block of the live index; the chain's head where that block is no longer on the chain. */
async function liveEnd(pool: Pool, node: Node): Promise<{ number: number; stands: boolean }> {
  const live = await readIndexPosition(pool);
  const head = await again(() => node.header("latest"));
  if (live?.blockHash !== undefined && live.blockNumber <= head.number) {
    const onChain = await again(() => node.header(live.blockNumber));
    if (onChain.hash === live.blockHash) return { number: live.blockNumber, stands: true };
  }
  return { number: head.number, stands: false };
}

/** Whether an index that ends there covers the live one, which may be far behind. */
const isUpTo = (end: IndexPosition, live: IndexPosition): boolean =>
  end.blockNumber === live.blockNumber
    ? end.blockHash === live.blockHash
    : end.blockNumber > live.blockNumber;

async function requireCursor(tx: Transaction): Promise<IndexPosition> {
  const cursor = await readIndexPosition(tx);
  if (cursor === undefined) throw new FatalError("The index was removed during the reindex.");
  return cursor;
}

async function store(
  tx: Transaction,
  from: IndexPosition,
  read: Read,
  finalNumber: number | undefined,
): Promise<IndexPosition> {
  await storeBlocks(tx, from, { ...read, finalNumber, initialSync: false });
  return after(from, read);
}

function after(cursor: IndexPosition, { blocks }: Read): IndexPosition {
  const last = blocks.at(-1) as Header;
  return { ...cursor, blockNumber: last.number, blockHash: last.hash };
}

/**
 * Reverts and nonces of the live index that the chain contradicts. They come from no event, so they are copied rather
 * than read again, and the indexer reads what is missing.
 */
async function contradictedOutcomes(pool: Pool, node: Node) {
  const rows = await inLongSnapshot(pool, (tx) => readOutcomeRows(tx, 0, Number.MAX_SAFE_INTEGER));
  const reverts: Buffer[] = [];
  const nonces: { address: Buffer; block: number }[] = [];
  for (const { hash, blockHash } of rows.reverts) {
    const receipt = await node.receipt(hash as Hex);
    if (receipt?.blockHash !== blockHash || !receipt.reverted) reverts.push(toBytes(hash as Hex));
  }
  for (const { address, block, blockHash, nonce } of rows.nonces) {
    // A node that has pruned that state cannot contradict it.
    const onChain = await node.nonceAt(address as Hex, blockHash as Hex).catch(() => nonce);
    if (Number(onChain) !== nonce) nonces.push({ address: toBytes(address as Hex), block });
  }
  return { reverts, nonces };
}

/** Retries with back-off until the node gives a usable answer. */
async function again<Answer>(ask: () => Promise<Answer | undefined>): Promise<Answer> {
  for (let failures = 1; ; failures += 1) {
    try {
      const answer = await ask();
      if (answer !== undefined) return answer;
      throw new ChainMovedError("The node's blocks are missing or not contiguous");
    } catch (error) {
      if (failures === readAttempts) throw error;
      await sleep(backOff(failures) * 1000);
    }
  }
}
