import type pg from "pg";
import type { Transaction } from "./pool.ts";

/** Largest timer, in milliseconds. */
const patience = 2 ** 31 - 1;

/** Runs a statement without a timeout on either side, since it may take hours on hundreds of millions of rows. */
export async function queryPatiently(tx: Transaction, text: string): Promise<void> {
  await tx.query("set local statement_timeout = 0");
  const patient: pg.QueryConfig & { query_timeout: number } = { text, query_timeout: patience };
  await tx.query(patient);
}
