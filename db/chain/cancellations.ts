import type { Address, Hex } from "viem";
import { toBytes } from "../../domain/bytes.ts";
import type { Position } from "../../domain/index/log-position.ts";
import type { Transaction } from "../core/pool.ts";

/** An author's cancellation, on the chain, of every signature for one creation or with one nonce. */
export type Cancellation = {
  author: Address;
  /** The id of the asset, or the nonce of a link change. */
  subject: Hex;
  position: Position;
};

export async function insertCancellations(
  tx: Transaction,
  cancellations: readonly Cancellation[],
): Promise<void> {
  if (cancellations.length === 0) return;
  const positions = cancellations.map(({ position }) => position);
  await tx.query(
    `insert into chain.cancellations
       (author, subject, block_number, transaction_index, log_index, transaction_hash)
     select * from unnest($1::bytea[], $2::bytea[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bytea[])`,
    [
      cancellations.map(({ author }) => toBytes(author)),
      cancellations.map(({ subject }) => toBytes(subject)),
      positions.map(({ blockNumber }) => blockNumber),
      positions.map(({ transactionIndex }) => transactionIndex),
      positions.map(({ logIndex }) => logIndex),
      positions.map(({ transactionHash }) => toBytes(transactionHash)),
    ],
  );
}

/**
 * In SQL: the subject by which the author can cancel a request's gasless signature, as in
 * `chain.cancellations.subject`.
 */
export const subjectOf = (request: string): string =>
  `(case ${request}.kind when 'create' then ${request}.asset_id else ${request}.link_nonce end)`;

/**
 * In SQL, the inverse of `subjectOf`: ids of the requests whose own author cancelled their signature. Cancellations by
 * others have no effect.
 * @param voided rows of `author` and `subject`
 */
export const requestsVoided = (voided: string): string =>
  ["asset_id = voided.subject and kind = 'create'", "link_nonce = voided.subject"]
    .map(
      (isMeant) => `
  select request.id from (${voided}) voided cross join lateral (
    select id from service.requests where ${isMeant} and author = voided.author offset 0) request`,
    )
    .join(" union all ");
