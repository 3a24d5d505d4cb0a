import type { KnownReason } from "../../../domain/request/state.ts";
import { toBytes } from "../../core/bytes.ts";
import type { Transaction } from "../../core/pool.ts";
import { lockRequest } from "../requests/locks.ts";
import { type Look, noteProblem } from "./seen.ts";

/** Notes that the node does not have a transaction that it had before, and that only the wallet can send again. */
export async function noteMissing(tx: Transaction, look: Look & { at: number | undefined }): Promise<void> {
  await lockRequest(tx, look.requestId);
  await noteProblem(tx, { ...look, problem: "the node does not have it" });
  await tx.query(
    `update service.transactions set missing_since = coalesce(missing_since, now()), low_fee_since = null
     where hash = $1 and request_id = $2 and accepted_at is not null`,
    [toBytes(look.hash), look.requestId],
  );
  await countRefusal(tx, look);
}

/** One more look of a run at whose end nothing is expected of a transaction any more. */
async function countRefusal(
  tx: Transaction,
  { hash, requestId, at }: Pick<Look, "hash" | "requestId"> & { at: number | undefined },
): Promise<void> {
  if (at === undefined) return;
  await tx.query(
    `update service.transactions set refusals = refusals + 1, refused_since = coalesce(refused_since, now()),
       refused_block = least(refused_block, $3)
     where hash = $1 and request_id = $2`,
    [toBytes(hash), requestId, at],
  );
}

/** How many looks of a run, over how many seconds at least, are enough once its first block is final. */
type Run = { looks: number; seconds: number };

/** In SQL: whether the run of a transaction is over, by the parameters of these numbers. */
const isRunOver = ({ looks, seconds }: { looks: string; seconds: string }): string => `(
    sent.refusals >= ${looks} and sent.refused_since <= now() - make_interval(secs => ${seconds})
    and sent.refused_block <= (select final_number from chain.cursor limit 1))`;

export type Refused = Look & {
  problem: string;
  lowFee: boolean;
  /** Why it would not be sent again; undefined where it is in any case. */
  ending: KnownReason | undefined;
  /** The block that node and index share; undefined where the refusal counts for nothing. */
  at: number | undefined;
};

/**
 * Notes that the node refused a transaction.
 * @returns `again` where it is to be sent again; else whether something is left of the request that could be sent,
 *   or that the node had
 */
export async function noteRefused(
  tx: Transaction,
  look: Refused,
  { looks, seconds }: Run,
): Promise<"again" | "others left" | "nothing left"> {
  await lockRequest(tx, look.requestId);
  await noteProblem(tx, look);
  const of = [toBytes(look.hash), look.requestId];
  await tx.query(
    `update service.transactions
     set low_fee_since = case when $3 then coalesce(low_fee_since, now()) end,
       missing_since = case when accepted_at is not null then coalesce(missing_since, now()) end
     where hash = $1 and request_id = $2`,
    [...of, look.lowFee],
  );
  if (look.ending === undefined) {
    await tx.query(
      `update service.transactions set refusals = 0, refused_since = null, refused_block = null
       where hash = $1 and request_id = $2`,
      of,
    );
    return "again";
  }
  await countRefusal(tx, look);
  const { rowCount: ended } = await tx.query(
    `update service.transactions sent set hopeless = $3
     where hash = $1 and request_id = $2 and ${isRunOver({ looks: "$4", seconds: "$5" })}`,
    [...of, look.ending, looks, seconds],
  );
  if (ended === 0) return "again";
  const { rowCount } = await tx.query(
    "select from service.transactions where request_id = $1 and hopeless is null limit 1",
    [look.requestId],
  );
  return rowCount === 0 ? "nothing left" : "others left";
}

/**
 * Whether a request, whose time is over, waits for transactions that nobody but their wallet can send again, and
 * the node has had none of them for so long. What the relayer sent is void by then.
 */
export async function isDropped(
  tx: Transaction,
  requestId: string,
  { looks, seconds }: Run,
): Promise<boolean> {
  const { rows } = await tx.query<{ dropped: boolean | null }>(
    `select bool_and(raw is null and coalesce(missing_since <= now() - make_interval(secs => $2), false)
         and coalesce(${isRunOver({ looks: "$3", seconds: "$2" })}, false)) as dropped
     from service.transactions sent where request_id = $1 and hopeless is null
       and not exists (select from service.relayer_attempts own where own.hash = sent.hash)`,
    [requestId, seconds, looks],
  );
  return rows[0]?.dropped === true;
}
