import { randomBytes, randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { encodeFunctionData, toHex } from "viem";
import { privateKeyToAddress } from "viem/accounts";
import { migrate } from "../../../db/core/migrate.ts";
import { inTransaction, openPool } from "../../../db/core/pool.ts";
import { insertCreation, type NewCreation } from "../../../db/service/requests/insert-creation.ts";
import { assetDigests } from "../../../domain/asset/digests.ts";
import { registryAbi } from "../../../domain/registry/abi.ts";
import { deployerKey } from "../../../test/support/chain/accounts.ts";
import { postmasterPid } from "../../local/postgres/cluster.ts";
import { startPostgres } from "../../local/postgres/server.ts";
import { cpuSecondsOf } from "../cpu.ts";
import { document, seededRandom } from "../documents.ts";
import { benchFolder } from "../folder.ts";
import { percentile } from "../measure.ts";

/** The work of the event log in the database of a contestant. */
export const logs = ["none", "written", "written and numbered"] as const;
export type LogKind = (typeof logs)[number];

/** One turn: commits a second, and milliseconds of each and of PostgreSQL's processor time for each. */
export type LogTurn = { writers: number; log: LogKind; rate: number; p50: number; p99: number; cpu: number };

/** Triggers that a contestant goes without. */
const without: Record<LogKind, string[]> = {
  none: ["alter table service.history disable trigger tell_states"],
  written: ["alter table service.events disable trigger number_event"],
  "written and numbered": [],
};

const registry = { chainId: 31_337, address: privateKeyToAddress(deployerKey) };
const author = privateKeyToAddress(deployerKey);

/**
 * Commits the transaction of POST /assets/ by many writers at once, on databases with and without the triggers of the
 * event log, of one PostgreSQL that writes to disk as in service. The databases take turns.
 */
export async function measureLogCost(
  { seconds, rounds, writers }: { seconds: number; rounds: number; writers: readonly number[] },
  onProgress: (done: string) => void,
): Promise<LogTurn[]> {
  const folder = await benchFolder("events-log");
  const closers: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true })];
  try {
    const postgres = await startPostgres({ dataDir: join(folder, "postgres") });
    closers.push(postgres.stop);
    const urls = new Map<LogKind, string>();
    for (const [nth, log] of logs.entries()) {
      urls.set(log, await makeDatabase(postgres.adminUrl, `log_${nth}`, without[log]));
    }
    const server = postmasterPid(postgres.folder);
    const turns: LogTurn[] = [];
    for (let round = 0; round <= rounds; round += 1) {
      onProgress(round === 0 ? "warm-up" : `round ${round} of ${rounds}`);
      for (const count of writers) {
        // Each is the first one now and then.
        const order = [...logs.slice(round % logs.length), ...logs.slice(0, round % logs.length)];
        for (const log of order) {
          const turn = await commit(urls.get(log) as string, count, round === 0 ? 0.5 : seconds, server);
          if (round > 0) turns.push({ writers: count, log, ...turn });
        }
      }
    }
    return turns;
  } finally {
    for (const closer of closers.reverse()) await closer();
  }
}

async function makeDatabase(adminUrl: string, name: string, changes: readonly string[]): Promise<string> {
  const admin = openPool(adminUrl, { application: "bench", max: 1 });
  await admin.query(`create database ${name}`);
  await admin.end();
  const url = new URL(adminUrl);
  url.pathname = name;
  await migrate(url.href);
  const pool = openPool(url.href, { application: "bench", max: 1 });
  for (const change of changes) await pool.query(change);
  await pool.end();
  return url.href;
}

async function commit(url: string, writers: number, seconds: number, server: number) {
  const pool = openPool(url, { application: "bench", max: writers });
  const connected = await Promise.all(Array.from({ length: writers }, () => pool.connect()));
  for (const connection of connected) connection.release();
  const times: number[] = [];
  const cpuBefore = cpuSecondsOf(server);
  const begin = performance.now();
  const write = async () => {
    while (performance.now() - begin < seconds * 1000) {
      const creation = newCreation();
      const asked = performance.now();
      await inTransaction(pool, async (tx) => {
        if ((await insertCreation(tx, creation)) === undefined) throw new Error("A creation was not stored");
      });
      times.push(performance.now() - asked);
    }
  };
  await Promise.all(Array.from({ length: writers }, write));
  const took = (performance.now() - begin) / 1000;
  const cpu = ((cpuSecondsOf(server) - cpuBefore) * 1000) / times.length;
  await pool.end();
  return {
    rate: times.length / took,
    p50: percentile(times, 50),
    p99: percentile(times, 99),
    cpu,
  };
}

const random = seededRandom(1);
const details = document(random);
const { contentHash } = assetDigests(registry, { author, salt: toHex(1, { size: 32 }), details });
const salt = toHex(1, { size: 32 });
const calldata = encodeFunctionData({ abi: registryAbi, functionName: "createAsset", args: [salt, details] });

/** A creation whose id is no digest, which costs the writer nothing: it shares the processor with the database. */
function newCreation(): NewCreation {
  const assetId = toHex(randomBytes(32));
  return {
    ...{ id: randomUUID(), tenant: "bench", author, assetId, contentHash, registry, calldata },
    ttl: 604_800,
    change: { kind: "create", salt: assetId, details },
  };
}
