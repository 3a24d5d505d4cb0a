import type { Logger } from "pino";
import type { Address, Hash } from "viem";
import type { BlockHeader } from "../../db/chain/blocks.ts";
import type { Database } from "../../db/core/pool.ts";
import { transactionsUnderWay, type UnderWay } from "../../db/service/transactions/under-way.ts";
import type { Header } from "../../rpc/calls/header.ts";
import { revertReason } from "../../rpc/calls/revert-reason.ts";
import { ChainMovedError } from "../../rpc/errors/chain-errors.ts";
import { isTransient, NodeAnswerError, NodeError } from "../../rpc/errors/node-error.ts";
import type { Node } from "../../rpc/node.ts";
import { createRotation } from "./rotation.ts";

/** Outcomes of transactions without an event: reverted, or replaced by another use of their nonce. */
export type Outcomes = {
  reverts: { hash: Hash; block: BlockHeader; reason: string }[];
  nonces: Map<Address, number>;
};

/** The outcomes behind the head, where none are read. */
export const noOutcomes: Outcomes = { reverts: [], nonces: new Map() };

/** Unusable answers to the same call in a row until the index continues without one. */
const patience = 6;

/** Most accounts and receipts that are read at one block; the others follow at the next. */
const mostAccounts = 500;
const mostReceipts = 250;

/**
 * Reads the outcomes of pending transactions. Only at the chain's head: nodes prune the state of old blocks, and the
 * newest state is enough.
 *
 * A transaction or account with unusable answers is retried, and then skipped at this block, so that it does not delay
 * the others.
 */
export function createOutcomes(node: Node, log: Logger) {
  const failures = new Map<string, number>();
  const chooseAccounts = createRotation(mostAccounts);
  const chooseReceipts = createRotation(mostReceipts);

  /** @returns undefined once the call is given up; throws while it should be retried */
  async function patiently<Answer>(about: string, ask: () => Promise<Answer>): Promise<Answer | undefined> {
    try {
      const answer = await ask();
      failures.delete(about);
      return answer;
    } catch (error) {
      if (!(error instanceof NodeError || error instanceof ChainMovedError) || isTransient(error))
        throw error;
      const failed = (failures.get(about) ?? 0) + 1;
      failures.set(about, failed);
      if (failed < patience) throw error;
      log.warn({ about, err: { message: error.message } }, "node cannot answer: skipped");
      return undefined;
    }
  }

  async function nonceOf(author: Address, at: BlockHeader): Promise<number | undefined> {
    const nonce = await patiently(author, () => node.nonceAt(author, at.hash));
    return nonce === undefined ? undefined : usable(nonce);
  }

  /** Nonces of the accounts as far as the node has them: in one batch, and one by one where that fails. */
  async function noncesOf(authors: readonly Address[], at: BlockHeader): Promise<Map<Address, number>> {
    const counted = await node.noncesAt(authors, at.hash).catch((error: unknown) => {
      if (!(error instanceof NodeError) || isTransient(error)) throw error;
      return undefined;
    });
    const nonces = new Map<Address, number>();
    await Promise.all(
      authors.map(async (author, index) => {
        const known = counted?.[index];
        if (known !== undefined) failures.delete(author);
        const nonce = known === undefined ? await nonceOf(author, at) : usable(known);
        if (nonce !== undefined) nonces.set(author, nonce);
      }),
    );
    return nonces;
  }

  /**
   * Reads the nonce again: a node that is importing a new block may count by it already, and if that block is lost the
   * author's transactions would pass for cancelled ones.
   */
  async function askAgain(author: Address, at: BlockHeader, nonces: Map<Address, number>): Promise<void> {
    if (nonces.has(author) && (await nonceOf(author, at)) !== nonces.get(author)) nonces.delete(author);
  }

  return {
    /**
     * Reads the outcomes as of block `at`; only blocks of its chain count.
     * @param known headers up to `at` that have been read already
     * @param succeeded transactions with logs in these blocks, which therefore did not revert
     */
    read: async (
      db: Database,
      at: BlockHeader,
      known: ReadonlyMap<number, Header>,
      succeeded: ReadonlySet<Hash>,
    ): Promise<Outcomes> => {
      const all = await transactionsUnderWay(db);
      const accounts = chooseAccounts(all.map(({ author: key, tenant }) => ({ key, tenant })));
      const underWay = all.filter(({ author }) => accounts.has(author));
      const nonces = await noncesOf([...new Set(underWay.map(({ author }) => author))], at);
      const reverts: Outcomes["reverts"] = [];
      const gone = new Set<Address>();
      const mayHavePassed = ({ author, nonce }: UnderWay) =>
        nonce === undefined || nonce < (nonces.get(author) ?? 0);
      const open = underWay.filter((one) => mayHavePassed(one) && !succeeded.has(one.hash));
      const looked = chooseReceipts(open.map(({ hash: key, tenant }) => ({ key, tenant })));
      for (const one of open) {
        const { hash, author, nonce } = one;
        if (!mayHavePassed(one)) continue;
        if (!looked.has(hash)) {
          // Until its receipt is read, the nonce of its account is left out too.
          nonces.delete(author);
          continue;
        }
        const outcome = await patiently(hash, () => outcomeOf(node, hash, at, known));
        // Without a receipt, or with one of a later block, it could pass for a cancelled one.
        if (outcome === undefined || (outcome === "later" && nonce !== undefined)) nonces.delete(author);
        else if (outcome === "gone") gone.add(author);
        else if (typeof outcome === "object") reverts.push(outcome);
      }
      await Promise.all([...gone].map((author) => askAgain(author, at, nonces)));
      return { reverts, nonces };
    },
  };
}

/** A nonce above 2^53 is nonsense, and ignored. */
const usable = (nonce: bigint): number | undefined =>
  nonce > BigInt(Number.MAX_SAFE_INTEGER) ? undefined : Number(nonce);

/** Reverted, succeeded by the given block, mined in a later one, or in no block (`gone`). */
type Outcome = Outcomes["reverts"][number] | "succeeded" | "later" | "gone";

/** @throws where a mined transaction has no receipt, or one of another fork */
async function outcomeOf(
  node: Node,
  hash: Hash,
  at: BlockHeader,
  known: ReadonlyMap<number, Header>,
): Promise<Outcome> {
  const receipt = await node.receipt(hash);
  if (receipt === undefined) {
    await expectUnmined(node, hash);
    return "gone";
  }
  if (receipt.blockNumber > at.number) return "later";
  const block = known.get(receipt.blockNumber) ?? (await node.header(receipt.blockNumber));
  if (block?.hash !== receipt.blockHash) {
    throw new ChainMovedError(
      `The receipt of ${hash} names another block ${receipt.blockNumber} than the chain has`,
    );
  }
  if (!receipt.reverted) return "succeeded";
  return { hash, block, reason: await revertReason(node, hash, receipt) };
}

/** @throws where the transaction is mined and only its receipt is missing: it would pass for a cancelled one */
async function expectUnmined(node: Node, hash: Hash): Promise<void> {
  const sent = await node.transaction(hash);
  if (sent === undefined || sent.blockHash === null) return;
  const problem = `there is none, but block ${sent.blockHash} holds the transaction`;
  throw new NodeAnswerError("eth_getTransactionReceipt", [hash], problem, "missing_receipt");
}
