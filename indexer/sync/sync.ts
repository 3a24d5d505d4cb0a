import type { Logger } from "pino";
import { newestBlocks } from "../../db/chain/blocks.ts";
import { recordHead } from "../../db/chain/index-position.ts";
import { inTransaction, type Pool } from "../../db/core/pool.ts";
import { readIndexPosition } from "../../db/reads/index-position.ts";
import type { IndexPosition } from "../../domain/index/index-position.ts";
import { limits } from "../../domain/limits.ts";
import type { Header } from "../../rpc/calls/header.ts";
import { ChainMovedError } from "../../rpc/errors/chain-errors.ts";
import type { Node } from "../../rpc/node.ts";
import { FatalError } from "../fatal-error.ts";
import { createMetrics, type Metrics } from "../monitoring/metrics.ts";
import { createOutcomes, noOutcomes } from "../outbox/outcomes.ts";
import { applyBatch } from "./apply.ts";
import { createBackfill } from "./backfill.ts";
import { createFinality } from "./finality.ts";
import { createTail } from "./follow-head.ts";
import { createForkGuard } from "./fork-guard.ts";
import { createInitialSync } from "./initial-sync.ts";
import type { Read } from "./read-range.ts";
import { rollBack } from "./reorg.ts";

type Dependencies = {
  pool: Pool;
  node: Node;
  confirmations: number | "finalized";
  log: Logger;
  metrics?: Metrics;
  /** Aborts a long step. */
  signal?: AbortSignal;
};

type Block = { number: number; hash: IndexPosition["blockHash"] };

const sameHeadMs = 1_000;

/** Brings the index up to the chain's head, one batch a step. */
export function createSync({
  pool,
  node,
  confirmations,
  log,
  metrics = createMetrics(),
  signal,
}: Dependencies) {
  const backfill = createBackfill(node);
  const tail = createTail(node);
  const forkGuard = createForkGuard(node);
  const outcomes = createOutcomes(node, log);
  const initialSync = createInitialSync(pool, log, signal);
  const finality = createFinality({ pool, node, confirmations, log });
  let behind = false;
  let noted = { number: -1, at: 0 };
  /** End of the last step while far behind the head, so that the next one need not read it again. */
  let onTheWay: { cursor: IndexPosition; head: Header; since: number } | undefined;

  /** @returns whether more is left to do */
  async function step(): Promise<boolean> {
    const { cursor, head } = recentEnds() ?? (await readEnds());
    onTheWay = undefined;
    // A halt lasts until the chain continues from the index.
    if (cursor.haltedReason === undefined && isNews(head)) await note(head);

    if (head.number <= cursor.blockNumber) {
      const dispute = await disputed(cursor, head);
      if (dispute !== undefined) return undo(cursor, head, dispute);
      await agree(cursor, head);
      return false;
    }
    const read = await readNext(cursor, head);
    if (read === undefined) return undo(cursor, head, { number: cursor.blockNumber, hash: cursor.blockHash });
    await agree(cursor, head);
    const after = await store(cursor, head, read);
    onTheWay = { cursor: after, head, since: noted.at };
    return after.blockNumber < head.number;
  }

  async function readEnds(): Promise<{ cursor: IndexPosition; head: Header }> {
    const cursor = await readIndexPosition(pool);
    if (cursor === undefined) throw new FatalError("The index has not been begun");
    const head = await node.header("latest");
    if (head === undefined) throw new ChainMovedError("The node names no latest block");
    return { cursor, head };
  }

  /** A recent head is good enough while the next blocks are too deep for a reorg. */
  function recentEnds(): { cursor: IndexPosition; head: Header } | undefined {
    if (onTheWay === undefined || Math.abs(Date.now() - onTheWay.since) >= sameHeadMs) return undefined;
    const { cursor, head } = onTheWay;
    return cursor.blockNumber < head.number - limits.reorgDepth ? onTheWay : undefined;
  }

  async function note(head: Header): Promise<void> {
    await inTransaction(pool, (tx) => recordHead(tx, head.number, confirmations));
    noted = { number: head.number, at: Date.now() };
  }

  /** An unchanged head is stored again every second, as a heartbeat. */
  const isNews = (head: Header) =>
    head.number !== noted.number || Math.abs(Date.now() - noted.at) >= sameHeadMs;

  /** @returns undefined where the chain does not continue the index: a reorg */
  async function readNext(cursor: IndexPosition, head: Header): Promise<Read | undefined> {
    const settledUpTo = head.number - limits.reorgDepth;
    if (cursor.blockNumber >= settledUpTo) {
      await initialSync.end();
      return tail.read(cursor, head.number);
    }
    return backfill.read(cursor, settledUpTo);
  }

  /**
   * A head below the index means a lagging node, unless the index has another block there than the chain.
   * @returns that block of the index
   */
  async function disputed(cursor: IndexPosition, head: Header): Promise<Block | undefined> {
    const { blockNumber, blockHash } = cursor;
    if (head.number === blockNumber) {
      const same = blockHash === undefined || blockHash === head.hash;
      return same ? undefined : { number: blockNumber, hash: blockHash };
    }
    if (!behind) metrics.count("head_behind_total");
    behind = true;
    const [stored] = await newestBlocks(pool, head.number, 1);
    if (stored === undefined) return undefined;
    const found = stored.number === head.number ? head : await node.header(stored.number);
    return found === undefined || found.hash === stored.hash ? undefined : stored;
  }

  async function agree(cursor: IndexPosition, head: Header): Promise<void> {
    forkGuard.agree();
    if (head.number >= cursor.blockNumber) behind = false;
    if (cursor.haltedReason === undefined) return;
    await note(head);
    log.warn({ was: cursor.haltedReason }, "chain matches the index again: indexing resumed");
  }

  /** @returns the new index position */
  async function store(cursor: IndexPosition, head: Header, read: Read): Promise<IndexPosition> {
    const known = new Map(read.blocks.map((block) => [block.number, block]));
    const last = read.blocks.at(-1) as Header;
    const atHead = last.number === head.number;
    const newFinal = Math.max(cursor.finalNumber, await finality.asOf(last, known));
    const batch = {
      blocks: read.blocks,
      brought: read.brought,
      outcomes: atHead ? await outcomes.read(pool, last, known, read.succeeded ?? new Set()) : noOutcomes,
      finalNumber: newFinal,
      atHead,
      initialSync: await initialSync.now(),
    };
    await applyBatch(pool, cursor, batch).catch((error: unknown) => {
      if (error instanceof ChainMovedError) initialSync.forget();
      throw error;
    });
    for (const { blockNumber, logIndex, transactionHash, problem } of read.brought.undecoded) {
      metrics.count("undecoded_total");
      const err = { message: problem };
      log.error({ blockNumber, logIndex, transactionHash, err }, "log set aside: it cannot be decoded");
    }
    log.debug({ block: last.number, head: head.number, logs: read.logs }, "indexed");
    const end = { blockNumber: last.number, blockHash: last.hash, finalNumber: newFinal };
    return { ...cursor, ...end, haltedReason: undefined };
  }

  async function undo(cursor: IndexPosition, head: Header, dispute: Block): Promise<true> {
    const newHash = await forkGuard.settle(dispute.number, dispute.hash);
    // The URL may serve another chain by now.
    node.recheckChain();
    // Rows of removed blocks are deleted by foreign keys.
    initialSync.forget();
    await initialSync.end();
    const { ancestor, depth, removed, undidFinal, left } = await rollBack(pool, node, cursor, head.number);
    forkGuard.leave(removed);
    if (left.size > 0) {
      const rows = Object.fromEntries(left);
      log.error({ rows }, "foreign keys are missing: orphaned rows of removed blocks were deleted");
    }
    metrics.count("reorg_total");
    const facts = {
      from: cursor.blockNumber,
      to: ancestor.number,
      depth,
      oldHash: cursor.blockHash,
      newHash,
    };
    if (!undidFinal) log.warn(facts, "reorg handled");
    else {
      metrics.count("deep_reorg_total");
      log.error({ ...facts, final: cursor.finalNumber }, "reorg removed final blocks");
    }
    return true;
  }

  return { step };
}
