import type { Logger } from "pino";
import type { Address, Hash } from "viem";
import type { BlockHeader } from "../../db/chain/blocks.ts";
import type { Database } from "../../db/core/pool.ts";
import { transactionsUnderWay, type UnderWay } from "../../db/service/transactions/under-way.ts";
import { ChainMovedError, isSilence, NodeAnswerError, NodeError } from "../../rpc/errors.ts";
import type { Header, Node } from "../../rpc/node.ts";
import { revertReason } from "../../rpc/revert-reason.ts";
import { createRotation } from "./rotation.ts";

/** What the chain did with transactions that left no event: executed in vain, or passed by their nonce. */
export type Fates = {
  reverts: { hash: Hash; block: BlockHeader; reason: string }[];
  nonces: Map<Address, number>;
};

/** Behind the head nothing is asked. */
export const noFates: Fates = { reverts: [], nonces: new Map() };

/** Answers that cannot be used, to the same question in a row, until the index goes on without one. */
const patience = 6;

/** Accounts and receipts that the node is asked about at one block: the others have their turn at the next. */
const mostAccounts = 500;
const mostReceipts = 250;

/**
 * Reads what became of the transactions under way. Asked at the chain's head only: nodes keep the state of
 * old blocks for a while at most, and the newest state says all.
 *
 * A transaction or an account about which the node answers badly is asked about again and again, and left
 * out of the facts of this block when that does not help: it must not hold up everybody else's.
 */
export function createFates(node: Node, log: Logger) {
  const failures = new Map<string, number>();
  const chooseAccounts = createRotation(mostAccounts);
  const chooseReceipts = createRotation(mostReceipts);

  /** @returns undefined where the answer cannot be had; throws while it may still come */
  async function patiently<Answer>(about: string, ask: () => Promise<Answer>): Promise<Answer | undefined> {
    try {
      const answer = await ask();
      failures.delete(about);
      return answer;
    } catch (error) {
      if (!(error instanceof NodeError || error instanceof ChainMovedError) || isSilence(error)) throw error;
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

  /** Of each account, as far as the node can say: all in one batch, and where that fails one by one. */
  async function noncesOf(authors: readonly Address[], at: BlockHeader): Promise<Map<Address, number>> {
    const counted = await node.noncesAt(authors, at.hash).catch((error: unknown) => {
      if (!(error instanceof NodeError) || isSilence(error)) throw error;
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
   * A node that takes up a block just now may count by it already. Where that block is lost again, nothing
   * else tells the author's transactions from cancelled ones.
   */
  async function askAgain(author: Address, at: BlockHeader, nonces: Map<Address, number>): Promise<void> {
    if (nonces.has(author) && (await nonceOf(author, at)) !== nonces.get(author)) nonces.delete(author);
  }

  return {
    /**
     * What became of them as of block `at`. Only blocks of the chain that leads to `at` count.
     * @param known headers up to `at` that have been read already
     * @param succeeded transactions of which these blocks hold logs: they were not executed in vain
     */
    read: async (
      db: Database,
      at: BlockHeader,
      known: ReadonlyMap<number, Header>,
      succeeded: ReadonlySet<Hash>,
    ): Promise<Fates> => {
      const all = await transactionsUnderWay(db);
      const accounts = chooseAccounts(all.map(({ author: key, tenant }) => ({ key, tenant })));
      const underWay = all.filter(({ author }) => accounts.has(author));
      const nonces = await noncesOf([...new Set(underWay.map(({ author }) => author))], at);
      const reverts: Fates["reverts"] = [];
      const gone = new Set<Address>();
      const mayHavePassed = ({ author, nonce }: UnderWay) =>
        nonce === undefined || nonce < (nonces.get(author) ?? 0);
      const open = underWay.filter((one) => mayHavePassed(one) && !succeeded.has(one.hash));
      const looked = chooseReceipts(open.map(({ hash: key, tenant }) => ({ key, tenant })));
      for (const one of open) {
        const { hash, author, nonce } = one;
        if (!mayHavePassed(one)) continue;
        if (!looked.has(hash)) {
          // Until its turn comes, nothing of its account is said either.
          nonces.delete(author);
          continue;
        }
        const fate = await patiently(hash, () => fateOf(node, hash, at, known));
        // Without a receipt it could pass for one that its author cancelled, as it could with one of a later
        // block: then the nonce is of that block, too.
        if (fate === undefined || (fate === "later" && nonce !== undefined)) nonces.delete(author);
        else if (fate === "gone") gone.add(author);
        else if (typeof fate === "object") reverts.push(fate);
      }
      await Promise.all([...gone].map((author) => askAgain(author, at, nonces)));
      return { reverts, nonces };
    },
  };
}

/** No account gets near 2^53: such an answer says nothing, and must not stop the index. */
const usable = (nonce: bigint): number | undefined =>
  nonce > BigInt(Number.MAX_SAFE_INTEGER) ? undefined : Number(nonce);

/** Executed in vain, or with success up to a block, or in a later one; `gone` is one that no block has. */
type Fate = Fates["reverts"][number] | "succeeded" | "later" | "gone";

/** @throws where a mined transaction has no receipt, or that of another chain */
async function fateOf(
  node: Node,
  hash: Hash,
  at: BlockHeader,
  known: ReadonlyMap<number, Header>,
): Promise<Fate> {
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

/** A mined transaction whose receipt the node does not have yet would pass for one that its author cancelled. */
async function expectUnmined(node: Node, hash: Hash): Promise<void> {
  const sent = await node.transaction(hash);
  if (sent === undefined || sent.blockHash === null) return;
  const problem = `there is none, but block ${sent.blockHash} holds the transaction`;
  throw new NodeAnswerError("eth_getTransactionReceipt", [hash], problem, "missing_receipt");
}
