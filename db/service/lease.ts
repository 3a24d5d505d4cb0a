import type { Database, Transaction } from "../core/pool.ts";

/** Who writes, and how it comes on; seen by everybody. */
export type Lease = {
  /** Undefined while nobody holds it, or its holder let it run out. */
  holder: string | undefined;
  takenAt: Date | undefined;
  /** Blocks a second while it is far behind the head. */
  blocksPerSecond: number | undefined;
};

/** This process is not the one that writes: another has taken over. */
export class LeaseLostError extends Error {
  override readonly name = "LeaseLostError";

  constructor() {
    super("Another indexer has taken over");
  }
}

/**
 * Takes the lease, unless another process holds it. Does not wait: a holder that is in the middle of a
 * transaction keeps the lease until that ends, whatever the clock says.
 * @returns whether this process holds it now
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
 * Gives a sign of life.
 * @returns whether this process still holds the lease; one that ran out and nobody took counts
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

/** Gives the lease back, so that another process may take it at once. */
export async function releaseLease(db: Database, holder: string): Promise<void> {
  await db.query(
    "update service.indexer_lease set holder = null, blocks_per_second = null where holder = $1",
    [holder],
  );
}

/**
 * Proves that this process holds the lease, and keeps others from taking it until the transaction ends.
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
