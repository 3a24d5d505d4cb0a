import type { Transaction } from "../../core/pool.ts";
import { ask, statement } from "../../core/statement.ts";
import { takeUp } from "../requests/endings.ts";
import { findRequestOutlines } from "../requests/find.ts";
import { lockRequests } from "../requests/locks.ts";
import type { RequestOutline } from "../requests/request.ts";

/**
 * Stores the transactions that made whole changes with their requests, so that they are known after a reorg.
 * @returns the requests, locked; their states do not change, because an effect precedes all other facts
 */
export async function tieTransactions(
  tx: Transaction,
  requestIds: readonly string[],
): Promise<RequestOutline[]> {
  await lockRequests(tx, requestIds);
  const requests = await findRequestOutlines(tx, requestIds);
  const made = requests.flatMap(({ id, facts, transactionHash }) =>
    facts.effect === undefined || transactionHash === undefined
      ? []
      : [{ id, hash: transactionHash, givenUp: facts.givenUp !== undefined }],
  );
  if (made.length > 0) await ask(tx, tie, [JSON.stringify(made)]);
  const givenUp = made.filter((one) => one.givenUp);
  if (givenUp.length > 0) {
    await takeUp(
      tx,
      givenUp.map(({ id }) => id),
    );
  }
  return requests;
}

const tie = statement(`
  insert into service.transactions as known (hash, request_id, accepted_at)
  select decode(substr(hash, 3), 'hex'), id, now() from json_to_recordset($1::json) as made (id uuid, hash text)
  on conflict (hash, request_id) do update
    set accepted_at = coalesce(known.accepted_at, now()), hopeless = null
    where known.accepted_at is null or known.hopeless is not null`);

/** Makes the transactions of these requests due at once, since a reorg may have dropped them. */
export async function makeDue(tx: Transaction, requestIds: readonly string[]): Promise<void> {
  await tx.query(
    `update service.transactions set next_attempt_at = now(), missing_since = null,
       rejected_block = case when accepted_at is null then rejected_block end
     where request_id = any($1::uuid[])`,
    [requestIds],
  );
}
