import { toBytes } from "../../../domain/bytes.ts";
import type { KnownReason } from "../../../domain/request/state.ts";
import type { Transaction } from "../../core/pool.ts";
import { lockRequest } from "../requests/locks.ts";
import { type Check, recordProblem } from "./seen.ts";

/** Stores that the node has dropped a transaction that only the wallet can send again. */
export async function recordMissing(
  tx: Transaction,
  check: Check & { at: number | undefined },
): Promise<void> {
  await lockRequest(tx, check.requestId);
  await recordProblem(tx, { ...check, problem: "the node does not have it" });
  await tx.query(
    `update service.transactions set missing_since = coalesce(missing_since, now()), low_fee_since = null
     where hash = $1 and request_id = $2 and accepted_at is not null`,
    [toBytes(check.hash), check.requestId],
  );
  await countRejection(tx, check);
}

/** One more of the consecutive attempts after which a transaction is given up. */
async function countRejection(
  tx: Transaction,
  { hash, requestId, at }: Pick<Check, "hash" | "requestId"> & { at: number | undefined },
): Promise<void> {
  if (at === undefined) return;
  await tx.query(
    `update service.transactions set rejections = rejections + 1, rejected_since = coalesce(rejected_since, now()),
       rejected_block = least(rejected_block, $3)
     where hash = $1 and request_id = $2`,
    [toBytes(hash), requestId, at],
  );
}

/** Consecutive attempts, over at least so many seconds, after which a transaction is given up. */
type Run = { attempts: number; seconds: number };

/** In SQL: whether there were enough consecutive attempts, by the parameters of these numbers. */
const isRunOver = ({ attempts, seconds }: { attempts: string; seconds: string }): string => `(
    sent.rejections >= ${attempts} and sent.rejected_since <= now() - make_interval(secs => ${seconds})
    and sent.rejected_block <= (select final_number from chain.cursor limit 1))`;

export type RejectedCheck = Check & {
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
  check: RejectedCheck,
  { attempts, seconds }: Run,
): Promise<"again" | "others left" | "nothing left"> {
  await lockRequest(tx, check.requestId);
  await recordProblem(tx, check);
  const of = [toBytes(check.hash), check.requestId];
  await tx.query(
    `update service.transactions
     set low_fee_since = case when $3 then coalesce(low_fee_since, now()) end,
       missing_since = case when accepted_at is not null then coalesce(missing_since, now()) end
     where hash = $1 and request_id = $2`,
    [...of, check.lowFee],
  );
  if (check.ending === undefined) {
    await tx.query(
      `update service.transactions set rejections = 0, rejected_since = null, rejected_block = null
       where hash = $1 and request_id = $2`,
      of,
    );
    return "again";
  }
  await countRejection(tx, check);
  const { rowCount: ended } = await tx.query(
    `update service.transactions sent set hopeless = $3
     where hash = $1 and request_id = $2 and ${isRunOver({ attempts: "$4", seconds: "$5" })}`,
    [...of, check.ending, attempts, seconds],
  );
  if (ended === 0) return "again";
  const { rowCount } = await tx.query(
    "select from service.transactions where request_id = $1 and hopeless is null limit 1",
    [check.requestId],
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
  { attempts, seconds }: Run,
): Promise<boolean> {
  const { rows } = await tx.query<{ dropped: boolean | null }>(
    `select bool_and(raw is null and coalesce(missing_since <= now() - make_interval(secs => $2), false)
         and coalesce(${isRunOver({ attempts: "$3", seconds: "$2" })}, false)) as dropped
     from service.transactions sent where request_id = $1 and hopeless is null
       and not exists (select from service.relayer_attempts own where own.hash = sent.hash)`,
    [requestId, seconds, attempts],
  );
  return rows[0]?.dropped === true;
}
