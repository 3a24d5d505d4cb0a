import { toBytes } from "../../../domain/bytes.ts";
import type { KnownReason } from "../../../domain/request/state.ts";
import type { Transaction } from "../../core/pool.ts";
import { lockRequest } from "../requests/locks.ts";
import { type Look, recordProblem } from "./seen.ts";

/** Stores that the node has dropped a transaction that only the wallet can send again. */
export async function recordMissing(tx: Transaction, look: Look & { at: number | undefined }): Promise<void> {
  await lockRequest(tx, look.requestId);
  await recordProblem(tx, { ...look, problem: "the node does not have it" });
  await tx.query(
    `update service.transactions set missing_since = coalesce(missing_since, now()), low_fee_since = null
     where hash = $1 and request_id = $2 and accepted_at is not null`,
    [toBytes(look.hash), look.requestId],
  );
  await countRejection(tx, look);
}

/** One more of the consecutive attempts after which a transaction is given up. */
async function countRejection(
  tx: Transaction,
  { hash, requestId, at }: Pick<Look, "hash" | "requestId"> & { at: number | undefined },
): Promise<void> {
  if (at === undefined) return;
  await tx.query(
    `update service.transactions set rejections = rejections + 1, rejected_since = coalesce(rejected_since, now()),
       rejected_block = least(rejected_block, $3)
     where hash = $1 and request_id = $2`,
    [toBytes(hash), requestId, at],
  );
}

/** Number of consecutive attempts, and their least duration in seconds, after which a transaction is given up. */
type Run = { looks: number; seconds: number };

/** In SQL: whether there were enough consecutive attempts, by the parameters of these numbers. */
const isRunOver = ({ looks, seconds }: { looks: string; seconds: string }): string => `(
    sent.rejections >= ${looks} and sent.rejected_since <= now() - make_interval(secs => ${seconds})
    and sent.rejected_block <= (select final_number from chain.cursor limit 1))`;

export type Rejected = Look & {
  problem: string;
  lowFee: boolean;
  /** Why it would be given up; undefined where it is sent again in any case. */
  ending: KnownReason | undefined;
  /** The block that node and index share; undefined where the rejection does not count. */
  at: number | undefined;
};

/**
 * Stores that the node rejected a transaction.
 * @returns `again` where it will be sent again; else whether the request has other transactions that may be sent or
 *   that the node had
 */
export async function recordRejected(
  tx: Transaction,
  look: Rejected,
  { looks, seconds }: Run,
): Promise<"again" | "others left" | "nothing left"> {
  await lockRequest(tx, look.requestId);
  await recordProblem(tx, look);
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
      `update service.transactions set rejections = 0, rejected_since = null, rejected_block = null
       where hash = $1 and request_id = $2`,
      of,
    );
    return "again";
  }
  await countRejection(tx, look);
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
 * Whether an expired request waits only for dropped transactions that nobody but their wallet can send again. The
 * relayer's signature has expired by then.
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
