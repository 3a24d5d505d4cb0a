import type { Address } from "viem";
import { addressFromBytes, toBytes } from "../../../domain/bytes.ts";
import type { Database, Transaction } from "../../core/pool.ts";

/** The current relayer; amounts in wei. `problem` is why all signatures wait. */
export type Relayer = {
  address: Address;
  balance: bigint;
  dailyBudget: bigint;
  problem: string | undefined;
  /** The nonce that is not mined and blocks all later ones. */
  stuck?: { nonce: number; since: Date } | undefined;
};

export async function recordRelayer(tx: Transaction, relayer: Relayer): Promise<void> {
  await tx.query(
    `insert into service.relayer (address, balance, daily_budget, problem, stuck_nonce, stuck_since)
     values ($1, $2, $3, $4, $5, $6)
     on conflict (only_row) do update set address = excluded.address, balance = excluded.balance,
       daily_budget = excluded.daily_budget, problem = excluded.problem, stuck_nonce = excluded.stuck_nonce,
       stuck_since = excluded.stuck_since, seen_at = now()`,
    [
      toBytes(relayer.address),
      String(relayer.balance),
      String(relayer.dailyBudget),
      relayer.problem ?? null,
      relayer.stuck?.nonce ?? null,
      relayer.stuck?.since ?? null,
    ],
  );
}

/** Removes the relayer. */
export async function forgetRelayer(tx: Transaction): Promise<void> {
  await tx.query("delete from service.relayer");
}

/** @returns undefined without a relayer */
export async function readRelayer(db: Database): Promise<Relayer | undefined> {
  const { rows } = await db.query<{
    address: Buffer;
    balance: string;
    daily_budget: string;
    problem: string | null;
    stuck_nonce: number | null;
    stuck_since: Date | null;
  }>("select address, balance, daily_budget, problem, stuck_nonce, stuck_since from service.relayer");
  const [row] = rows;
  return (
    row && {
      address: addressFromBytes(row.address),
      balance: BigInt(row.balance),
      dailyBudget: BigInt(row.daily_budget),
      problem: row.problem ?? undefined,
      stuck:
        row.stuck_nonce === null || row.stuck_since === null
          ? undefined
          : { nonce: row.stuck_nonce, since: row.stuck_since },
    }
  );
}
