import type { Address, Hash } from "viem";
import type { BlockHeader } from "../db/blocks.ts";
import type { Database } from "../db/pool.ts";
import { transactionsUnderWay } from "../db/transactions.ts";
import { ChainMovedError, NodeAnswerError } from "./errors.ts";
import type { Header, Node } from "./node.ts";
import { revertReason } from "./revert-reason.ts";

/** What the chain did with transactions that left no event: executed in vain, or passed by their nonce. */
export type Fates = {
  reverts: { hash: Hash; block: BlockHeader; reason: string }[];
  nonces: Map<Address, number>;
};

/**
 * Reads what became of the transactions under way as of block `at`. Only blocks of the chain that leads to
 * `at` count.
 * @param known headers up to `at` that have been read already
 * @throws where a mined transaction has no receipt, or that of another chain: nothing may be made of it then
 */
export async function readFates(
  db: Database,
  node: Node,
  at: BlockHeader,
  known: ReadonlyMap<number, Header>,
): Promise<Fates> {
  const underWay = await transactionsUnderWay(db);
  const authors = [...new Set(underWay.map(({ author }) => author))];
  const nonces = new Map<Address, number>();
  await Promise.all(
    authors.map(async (author) => {
      const nonce = await node.nonceAt(author, at.hash);
      // No account gets near that: such an answer says nothing, and must not stop the index.
      if (nonce <= BigInt(Number.MAX_SAFE_INTEGER)) nonces.set(author, Number(nonce));
    }),
  );
  const passed = underWay.filter(
    ({ author, nonce }) => nonce === undefined || nonce < (nonces.get(author) ?? 0),
  );
  const reverts: Fates["reverts"] = [];
  for (const { hash } of passed) {
    const receipt = await node.receipt(hash);
    if (receipt === undefined) await expectUnmined(node, hash);
    if (receipt === undefined || !receipt.reverted || receipt.blockNumber > at.number) continue;
    const block = known.get(receipt.blockNumber) ?? (await node.header(receipt.blockNumber));
    if (block?.hash !== receipt.blockHash) {
      throw new ChainMovedError(
        `The receipt of ${hash} names another block ${receipt.blockNumber} than the chain has`,
      );
    }
    reverts.push({ hash, block, reason: await revertReason(node, hash, receipt) });
  }
  return { reverts, nonces };
}

/** A mined transaction whose receipt the node does not have yet would pass for one that its author cancelled. */
async function expectUnmined(node: Node, hash: Hash): Promise<void> {
  const sent = await node.transaction(hash);
  if (sent === undefined || sent.blockHash === null) return;
  const problem = `there is none, but block ${sent.blockHash} holds the transaction`;
  throw new NodeAnswerError("eth_getTransactionReceipt", [hash], problem, "missing_receipt");
}
