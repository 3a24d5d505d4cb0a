import type { Address, Hash, Hex } from "viem";
import type { AssetId } from "../../../domain/asset/asset.ts";
import { addressFromBytes, fromBytes, toBytes } from "../../../domain/bytes.ts";
import type { Database, Transaction } from "../../core/pool.ts";

/** A transaction signed by the relayer; fees in wei, no priority fee on a chain without a base fee. */
export type Attempt = {
  hash: Hash;
  raw: Hex;
  filler: boolean;
  gas: bigint;
  maxFee: bigint;
  priorityFee: bigint | undefined;
  /** Expected data fee of a rollup. */
  dataFee: bigint;
  sentBlock: number | undefined;
};

export type PlannedNonce = {
  nonce: number;
  requestId: string | undefined;
  /** The asset of the request: logs name it instead of the request's id, which is a capability. */
  assetId: AssetId | undefined;
  tenant: string | undefined;
  minedBlock: number | undefined;
  /** When it was sent first, and the head then. */
  plannedAt: Date;
  plannedBlock: number | undefined;
  /** Oldest first. */
  attempts: Attempt[];
};

/** Highest cost of an attempt, in wei. */
export const costOf = ({ gas, maxFee, dataFee }: Pick<Attempt, "gas" | "maxFee" | "dataFee">): bigint =>
  gas * maxFee + dataFee;

/** Highest cost of a nonce, of which one transaction is mined. */
export function mostOf({ attempts }: Pick<PlannedNonce, "attempts">): bigint {
  let most = 0n;
  for (const attempt of attempts) if (costOf(attempt) > most) most = costOf(attempt);
  return most;
}

/** Nonces of this relayer without a final outcome, in order. */
export async function openNonces(db: Database, relayer: Address): Promise<PlannedNonce[]> {
  const { rows } = await db.query<{
    nonce: number;
    request_id: string | null;
    asset_id: Buffer | null;
    tenant: string | null;
    mined_block: number | null;
    hash: Buffer;
    raw: Buffer;
    filler: boolean;
    gas: string;
    max_fee: string;
    priority_fee: string | null;
    data_fee: string;
    planned_at: Date;
    planned_block: number | null;
    sent_block: number | null;
  }>(
    `select nonce, planned.request_id, planned.tenant, planned.mined_block, attempt.hash, attempt.raw, attempt.filler, attempt.gas,
       attempt.max_fee, attempt.priority_fee, attempt.data_fee, attempt.sent_block, planned.planned_at, planned.planned_block,
       (select asset_id from service.requests where id = planned.request_id) as asset_id
     from service.relayer_nonces planned join service.relayer_attempts attempt using (relayer, nonce)
     where relayer = $1 and not planned.final order by nonce, attempt.attempt`,
    [toBytes(relayer)],
  );
  const planned = new Map<number, PlannedNonce>();
  for (const row of rows) {
    const { nonce, request_id, asset_id, mined_block } = row;
    const one = planned.get(nonce) ?? {
      nonce,
      requestId: request_id ?? undefined,
      assetId: asset_id === null ? undefined : fromBytes(asset_id),
      tenant: row.tenant ?? undefined,
      minedBlock: mined_block ?? undefined,
      plannedAt: row.planned_at,
      plannedBlock: row.planned_block ?? undefined,
      attempts: [],
    };
    planned.set(nonce, one);
    one.attempts.push({
      hash: fromBytes(row.hash),
      raw: fromBytes(row.raw),
      filler: row.filler,
      gas: BigInt(row.gas),
      maxFee: BigInt(row.max_fee),
      priorityFee: row.priority_fee === null ? undefined : BigInt(row.priority_fee),
      dataFee: BigInt(row.data_fee),
      sentBlock: row.sent_block ?? undefined,
    });
  }
  return [...planned.values()];
}

/** Accounts with nonces without a final outcome: several after a change of the key. */
export async function openRelayers(db: Database): Promise<Address[]> {
  const { rows } = await db.query<{ relayer: Buffer }>(
    "select distinct relayer from service.relayer_nonces where not final",
  );
  return rows.map(({ relayer }) => addressFromBytes(relayer));
}

/** The lowest unplanned nonce from the chain's next one on, so that gaps are used first. */
export async function freeNonce(tx: Transaction, relayer: Address, expected: number): Promise<number> {
  const { rows } = await tx.query<{ nonce: number }>(
    "select nonce from service.relayer_nonces where relayer = $1 and nonce >= $2 order by nonce",
    [toBytes(relayer), expected],
  );
  let free = expected;
  for (const { nonce } of rows) if (nonce === free) free += 1;
  return free;
}

export async function insertPlannedNonce(
  tx: Transaction,
  relayer: Address,
  planned: Pick<PlannedNonce, "nonce" | "requestId" | "tenant" | "plannedBlock">,
): Promise<void> {
  await tx.query(
    `insert into service.relayer_nonces (relayer, nonce, request_id, tenant, planned_block)
     values ($1, $2, $3, $4, $5)`,
    [
      toBytes(relayer),
      planned.nonce,
      planned.requestId ?? null,
      planned.tenant ?? null,
      planned.plannedBlock ?? null,
    ],
  );
}

/** Stores a transaction before it is sent, and as its request's unless it is a filler. */
export async function insertAttempt(
  tx: Transaction,
  relayer: Address,
  { nonce, requestId }: Pick<PlannedNonce, "nonce" | "requestId">,
  attempt: Omit<Attempt, "sentBlock">,
): Promise<void> {
  await tx.query(
    `insert into service.relayer_attempts (hash, relayer, nonce, attempt, filler, raw, gas, max_fee, priority_fee, data_fee)
     select $1, $2, $3, coalesce(max(attempt), 0) + 1, $4, $5, $6, $7, $8, $9
     from service.relayer_attempts where relayer = $2 and nonce = $3`,
    [
      toBytes(attempt.hash),
      toBytes(relayer),
      nonce,
      attempt.filler,
      toBytes(attempt.raw),
      String(attempt.gas),
      String(attempt.maxFee),
      attempt.priorityFee === undefined ? null : String(attempt.priorityFee),
      String(attempt.dataFee),
    ],
  );
  if (requestId === undefined || attempt.filler) return;
  await tx.query(
    "insert into service.transactions (hash, request_id, by_author) values ($1, $2, false) on conflict do nothing",
    [toBytes(attempt.hash), requestId],
  );
}

export async function recordAttemptSent(tx: Transaction, hash: Hash, block: number): Promise<void> {
  await tx.query("update service.relayer_attempts set sent_block = $2 where hash = $1", [
    toBytes(hash),
    block,
  ]);
}

/** Stores the block that mined a nonce and its cost in wei; none where a reorg removed it. */
export async function recordNonceMined(
  tx: Transaction,
  relayer: Address,
  nonce: number,
  mined: { block: number; spent: bigint; dataFee: bigint | undefined; final: boolean } | undefined,
): Promise<void> {
  await tx.query(
    `update service.relayer_nonces set mined_block = $3, spent = $4, final = $5, data_fee = $6,
       spent_at = case when $3::bigint is not null then coalesce(spent_at, now()) end
     where relayer = $1 and nonce = $2`,
    [
      toBytes(relayer),
      nonce,
      mined?.block ?? null,
      mined === undefined ? null : String(mined.spent),
      mined?.final ?? false,
      mined?.dataFee === undefined ? null : String(mined.dataFee),
    ],
  );
}

/** Closes a nonce that did not carry out its request, which may get another. */
export async function releaseNonce(tx: Transaction, relayer: Address, nonce: number): Promise<void> {
  await tx.query(
    "update service.relayer_nonces set final = true, request_id = null where relayer = $1 and nonce = $2",
    [toBytes(relayer), nonce],
  );
}

/** Deletes a nonce that may never be used. */
export async function forgetNonce(tx: Transaction, relayer: Address, nonce: number): Promise<void> {
  await tx.query("delete from service.relayer_nonces where relayer = $1 and nonce = $2", [
    toBytes(relayer),
    nonce,
  ]);
}

/**
 * Highest data fee per byte of the newest transactions of a day, in wei; 0 where there was none. Older ones are ignored:
 * they would count for ever where nothing is sent because of them.
 */
export async function highestDataFee(db: Database): Promise<bigint> {
  const { rows } = await db.query<{ most: string | null }>(
    `select ceil(max(newest.data_fee / newest.bytes)) as most from (
       select planned.data_fee, (
         select max(octet_length(raw)) from service.relayer_attempts
         where relayer = planned.relayer and nonce = planned.nonce) as bytes
       from service.relayer_nonces planned
       where planned.data_fee is not null and planned.spent_at > now() - interval '24 hours'
       order by planned.spent_at desc limit 20) newest`,
  );
  return BigInt(rows[0]?.most ?? 0);
}
