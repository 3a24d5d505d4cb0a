import { openLog } from "../config/log.ts";
import { readConfig } from "../config.ts";
import { openPool } from "../db/core/pool.ts";
import { createProgress } from "../indexer/monitoring/progress.ts";
import { reindex } from "../indexer/sync/reindex.ts";
import { connectNode } from "../rpc/node.ts";

const usage = `Usage: npm run reindex

Builds the index of DATABASE_URL again from the chain behind RPC_URL, beside the one that is served, and puts
it in its place in one transaction. API and indexer may go on meanwhile. Requests, wallets, keys and
histories stay. Ended half-way, it leaves the index as it was; run it again then.`;

async function main(): Promise<void> {
  const { DATABASE_URL, RPC_URL, LOG_LEVEL } = readConfig(process.env, ["DATABASE_URL", "RPC_URL"]);
  const log = openLog("reindex", LOG_LEVEL);
  const pool = openPool(DATABASE_URL, { application: "reindex", max: 3, patient: true });
  const progress = createProgress(log);
  try {
    const { blockNumber } = await reindex({
      pool,
      node: connectNode(RPC_URL),
      log,
      onProgress: progress.note,
    });
    console.log(
      `The index was built again, up to block ${blockNumber}, and has taken the place of the old one.`,
    );
  } finally {
    await pool.end();
  }
}

if (process.argv.includes("--help")) console.log(usage);
else {
  try {
    await main();
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    process.exitCode = 1;
  }
}
