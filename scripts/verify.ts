import { readConfig } from "../config.ts";
import { openPool } from "../db/core/pool.ts";
import { verifyIndex } from "../indexer/verify/verify.ts";

const usage = `Usage: npm run index:verify

Compares every row of the index in DATABASE_URL with the chain behind RPC_URL, by a reader of its own, and
prints each difference. The indexer may go on meanwhile.
Exit code: 0 equal, 1 different, 2 it could not be compared.`;

const differencesShown = 100;
const sayEveryMs = 10_000;

async function main(): Promise<number> {
  const { DATABASE_URL, RPC_URL } = readConfig(process.env, ["DATABASE_URL", "RPC_URL"]);
  const rpcUrl = RPC_URL.find((url) => url.startsWith("http"));
  if (rpcUrl === undefined) throw new Error("RPC_URL names no node that answers over HTTP.");
  const pool = openPool(DATABASE_URL, { application: "verify", max: 1, patient: true });
  const terminal = process.stderr;
  let saidAt = performance.now();
  let shown = 0;
  try {
    const { upTo, rows, differences, unchecked } = await verifyIndex(pool, rpcUrl, {
      onDifference(line) {
        shown += 1;
        if (shown <= differencesShown) console.log(line);
      },
      onProgress(block, { startBlock, blockNumber }) {
        const now = performance.now();
        if (now - saidAt < (terminal.isTTY ? 200 : sayEveryMs)) return;
        saidAt = now;
        const share = Math.floor((100 * (block - startBlock + 1)) / (blockNumber - startBlock + 1));
        terminal.write(
          `compared up to block ${block} of ${blockNumber} (${share} %)${terminal.isTTY ? "\u001b[K\r" : "\n"}`,
        );
      },
    });
    if (terminal.isTTY) terminal.write("\u001b[K");
    if (shown > differencesShown) console.log(`… and ${shown - differencesShown} more.`);
    if (unchecked > 0)
      console.log(`${unchecked} nonces were not compared: the node keeps no state of their blocks.`);
    console.log(
      differences === 0
        ? `The index equals the chain: ${rows} rows, up to block ${upTo}.`
        : `The index differs from the chain in ${differences} places: ${rows} rows, up to block ${upTo}.`,
    );
    return differences === 0 ? 0 : 1;
  } finally {
    await pool.end();
  }
}

if (process.argv.includes("--help")) console.log(usage);
else {
  try {
    process.exitCode = await main();
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    process.exitCode = 2;
  }
}
