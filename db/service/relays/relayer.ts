import type { Address } from "viem";
import { addressFromBytes, toBytes } from "../../../domain/bytes.ts";
import type { RelayerObstacle, RelayerTrouble } from "../../../domain/relayer/problem.ts";
import type { Database, Transaction } from "../../core/pool.ts";

/** The current relayer and its trouble; amounts in wei. */
export type Relayer = RelayerTrouble & { address: Address; balance: bigint; dailyBudget: bigint };

export async function recordRelayer(tx: Transaction, relayer: Relayer): Promise<void> {
  const { stuck, earlier } = relayer;
  await tx.query(
    `insert into service.relayer
       (address, balance, daily_budget, obstacle, stuck_nonce, stuck_since, earlier_relayer, earlier_under_way)
     values ($1, $2, $3, $4, $5, $6, $7, $8)
     on conflict (only_row) do update set address = excluded.address, balance = excluded.balance,
       daily_budget = excluded.daily_budget, obstacle = excluded.obstacle, stuck_nonce = excluded.stuck_nonce,
       stuck_since = excluded.stuck_since, earlier_relayer = excluded.earlier_relayer,
       earlier_under_way = excluded.earlier_under_way, seen_at = now()`,
    [
      toBytes(relayer.address),
      String(relayer.balance),
      String(relayer.dailyBudget),
      relayer.obstacle ?? null,
      stuck?.nonce ?? null,
      stuck?.since ?? null,
      earlier === undefined ? null : toBytes(earlier.relayer),
      earlier?.underWay ?? null,
    ],
  );
}

/** Removes the relayer. */
export async function forgetRelayer(tx: Transaction): Promise<void> {
  await tx.query("delete from service.relayer");
}

type RelayerRow = {
  address: Buffer;
  balance: string;
  daily_budget: string;
  obstacle: RelayerObstacle | null;
  stuck_nonce: number | null;
  stuck_since: Date | null;
  earlier_relayer: Buffer | null;
  earlier_under_way: number | null;
};

/** @returns undefined without a relayer */
export async function readRelayer(db: Database): Promise<Relayer | undefined> {
  const { rows } = await db.query<RelayerRow>(
    `select address, balance, daily_budget, obstacle, stuck_nonce, stuck_since, earlier_relayer, earlier_under_way
     from service.relayer`,
  );
  return rows[0] && parseRelayer(rows[0]);
}

function parseRelayer(row: RelayerRow): Relayer {
  const {
    stuck_nonce: nonce,
    stuck_since: since,
    earlier_relayer: earlier,
    earlier_under_way: underWay,
  } = row;
  return {
    address: addressFromBytes(row.address),
    balance: BigInt(row.balance),
    dailyBudget: BigInt(row.daily_budget),
    obstacle: row.obstacle ?? undefined,
    stuck: nonce === null || since === null ? undefined : { nonce, since },
    earlier:
      earlier === null || underWay === null ? undefined : { relayer: addressFromBytes(earlier), underWay },
  };
}
