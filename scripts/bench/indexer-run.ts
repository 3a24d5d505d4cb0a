import { pino } from "pino";
import { openPool } from "../../db/core/pool.ts";
import { beginIndex } from "../../indexer/sync/begin.ts";
import { createSync } from "../../indexer/sync/sync.ts";
import { connectNode } from "../../rpc/node.ts";
import type { FloorRun } from "./floors.ts";

/** The product's indexer, from an empty index to the chain's head. @returns events in its tables */
export async function indexAll({ chain, rpcUrl, databaseUrl, ready }: FloorRun): Promise<number> {
  const pool = openPool(databaseUrl, { application: "bench" });
  const log = pino({ level: "warn" }, process.stderr);
  const node = connectNode([rpcUrl]);
  await beginIndex(pool, node, { registry: chain.registry.address, startBlock: chain.startBlock });
  const sync = createSync({ pool, node, confirmations: 5, log });
  ready();
  while (await sync.step());
  const { rows } = await pool.query<{ assets: number; links: number; revocations: number }>(
    `select (select count(*) from chain.assets) as assets, count(*) as links,
       count(revoked_block) as revocations from chain.links`,
  );
  const [found] = rows;
  if (
    found?.assets !== chain.assets ||
    found.links !== chain.links ||
    found.revocations !== chain.revocations
  ) {
    throw new Error(`The index holds ${JSON.stringify(found)}, the chain ${JSON.stringify(chain)}`);
  }
  await pool.end();
  return found.assets + found.links + found.revocations;
}
