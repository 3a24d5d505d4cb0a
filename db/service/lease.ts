import type { Database, Transaction } from "../core/pool.ts";

/** The lease and its holder's progress. */
export type Lease = {
  /** Undefined while the lease is free or expired. */
  holder: string | undefined;
  takenAt: Date | undefined;
  /** Blocks a second during a backfill. */
  blocksPerSecond: number | undefined;
};

/** This process no longer holds the lease. */
export class LeaseLostError extends Error {
  override readonly name = "LeaseLostError";

  constructor() {
    super("Another indexer has taken over");
  }
}

/**
 * Acquires the lease, unless another process holds it. Does not wait: a holder inside a transaction keeps the lease until
 * its end, even when expired.
 * @returns whether this process holds it
 */
export async function takeLease(db: Database, holder: string, seconds: number): Promise<boolean> {
  const { rowCount } = await db.query(
    `update service.indexer_lease
     set holder = $1, taken_at = clock_timestamp(), blocks_per_second = null,
       expires_at = clock_timestamp() + make_interval(secs => $2)
     where only_row in (
       select only_row from service.indexer_lease
       where holder is null or holder = $1 or expires_at < clock_timestamp()
       for update skip locked)`,
    [holder, seconds],
  );
  return rowCount === 1;
}

/**
 * Heartbeat: renews the lease.
 * @returns whether this process still holds it; an expired lease that nobody took counts
 */
export async function renewLease(
  db: Database,
  holder: string,
  seconds: number,
  blocksPerSecond: number | undefined,
): Promise<boolean> {
  const { rowCount } = await db.query(
    `update service.indexer_lease
     set expires_at = clock_timestamp() + make_interval(secs => $2), blocks_per_second = $3
     where holder = $1`,
    [holder, seconds, blocksPerSecond ?? null],
  );
  return rowCount === 1;
}

/** Releases the lease, so that another process can acquire it at once. */
export async function releaseLease(db: Database, holder: string): Promise<void> {
  await db.query(
    "update service.indexer_lease set holder = null, blocks_per_second = null where holder = $1",
    [holder],
  );
}

/**
 * Checks that this process holds the lease, and prevents a takeover until the transaction ends.
 * @throws LeaseLostError
 */
export async function proveLease(tx: Transaction, holder: string): Promise<void> {
  const { rowCount } = await tx.query("select from service.indexer_lease where holder = $1 for key share", [
    holder,
  ]);
  if (rowCount !== 1) throw new LeaseLostError();
}

export async function readLease(db: Database): Promise<Lease> {
  const { rows } = await db.query<{
    holder: string | null;
    taken_at: Date | null;
    blocks_per_second: number | null;
  }>(
    `select holder, taken_at, blocks_per_second from service.indexer_lease
     where holder is not null and expires_at >= clock_timestamp()`,
  );
  const [row] = rows;
  return {
    holder: row?.holder ?? undefined,
    takenAt: row?.taken_at ?? undefined,
    blocksPerSecond: row?.blocks_per_second ?? undefined,
  };
}
