import type { Address } from "viem";
import { inTransaction, type Pool } from "../../db/core/pool.ts";
import {
  type Attempt,
  costOf,
  type PlannedNonce,
  recordNonceMined,
  releaseNonce,
} from "../../db/service/relays/relayer-nonces.ts";
import type { IndexPosition } from "../../domain/index/index-position.ts";
import type { Receipt } from "../../rpc/calls/transactions.ts";
import type { Node } from "../../rpc/node.ts";

/** Highest plausible data fee, as a multiple of the expected one; a receipt above it is ignored. */
const mostTimesExpected = 100n;

/**
 * Reads which nonces of a relayer are mined, their cost, and what a reorg removed. A request whose nonce was finally
 * used by something else can be planned again.
 */
export async function reconcile(
  { pool, node }: { pool: Pool; node: Node },
  relayer: Address,
  planned: PlannedNonce[],
  expected: number,
  cursor: IndexPosition,
): Promise<void> {
  const write = (change: Parameters<typeof inTransaction<void>>[1]) => inTransaction(pool, change);
  let lasting: Promise<number> | undefined;
  for (const one of planned) {
    if (one.nonce >= expected && one.minedBlock === undefined) continue;
    const receipts = await Promise.all(one.attempts.map(({ hash }) => node.receipt(hash)));
    const place = receipts.findIndex((receipt) => receipt !== undefined);
    const [receipt, attempt] = [receipts[place], one.attempts[place]];
    if (receipt === undefined || attempt === undefined) {
      if (one.minedBlock !== undefined) {
        one.minedBlock = undefined;
        await write((tx) => recordNonceMined(tx, relayer, one.nonce, undefined));
      }
      // The key is used elsewhere too.
      lasting ??= nonceForGood(node, relayer, cursor);
      if (one.nonce < (await lasting)) await write((tx) => releaseNonce(tx, relayer, one.nonce));
      continue;
    }
    const block = receipt.blockNumber;
    const final = block <= cursor.finalNumber;
    if (one.minedBlock === block && !final) continue;
    one.minedBlock = block;
    const { spent, dataFee } = costIn(receipt, attempt);
    await write(async (tx) => {
      await recordNonceMined(tx, relayer, one.nonce, { block, spent, dataFee, final });
      if (final && attempt.filler) await releaseNonce(tx, relayer, one.nonce);
    });
  }
}

/** Cost of a transaction by its receipt, with implausible values ignored. */
function costIn(receipt: Receipt, attempt: Attempt): { spent: bigint; dataFee: bigint | undefined } {
  const { dataFee = 0n } = receipt;
  const forGas = receipt.paid === undefined ? receipt.gasUsed * attempt.maxFee : receipt.paid - dataFee;
  const most = costOf(attempt);
  if (forGas <= attempt.gas * attempt.maxFee && dataFee <= mostTimesExpected * most) {
    return { spent: receipt.paid ?? forGas, dataFee: receipt.dataFee };
  }
  return { spent: most, dataFee: undefined };
}

async function nonceForGood(node: Node, relayer: Address, { finalNumber }: IndexPosition): Promise<number> {
  const block = finalNumber < 0 ? undefined : await node.header(finalNumber);
  return block === undefined ? 0 : Number(await node.nonceAt(relayer, block.hash));
}
