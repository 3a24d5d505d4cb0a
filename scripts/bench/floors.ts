import { Agent, request } from "node:http";
import pg from "pg";
import { type Hash, type Hex, numberToHex } from "viem";
import { CopyRows } from "../../db/core/copy.ts";
import { decodeAssetCreated } from "../../indexer/sync/asset-created.ts";
import type { BenchChain } from "./chain.ts";

export type FloorRun = {
  chain: BenchChain;
  rpcUrl: string;
  /** An empty database: migrated for the indexer, without any table for a floor. */
  databaseUrl: string;
  /** Starts the clock, when all code is loaded and all connections are open. */
  ready: () => void;
};

/** About 5,000 logs, as the indexer's ranges settle at on such a chain. */
const blocksInRange = 100;

type RawLog = {
  topics: [Hash, Hash, Hash];
  data: Hex;
  blockNumber: Hex;
  logIndex: Hex;
  transactionHash: Hash;
  transactionIndex: Hex;
};

/** How fast the node can answer: all ranges, each parsed as JSON and thrown away. */
export async function getLogsAlone({ chain, rpcUrl, ready }: FloorRun): Promise<number> {
  const ask = asker(rpcUrl);
  ready();
  let events = 0;
  for await (const logs of ranges(ask, chain)) events += logs.length;
  return events;
}

/**
 * The least that any indexer does: the same answers, read one ahead, their events copied into bare tables with
 * a key and one index, and a cursor. No check of any answer, no header, no id, no foreign key, no link history.
 */
export async function getLogsAndCopy({ chain, rpcUrl, databaseUrl, ready }: FloorRun): Promise<number> {
  const ask = asker(rpcUrl);
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 1 });
  const client = await pool.connect();
  await client.query(bareTables);
  const [created, added] = await topicsOf(ask, chain);
  ready();
  let events = 0;
  for await (const logs of ranges(ask, chain)) {
    events += logs.length;
    const [assets, links] = [new CopyRows(), new CopyRows()];
    const revoked: RawLog[] = [];
    for (const log of logs) {
      if (log.topics[0] === created) writeAsset(assets, log);
      else if (log.topics[0] === added) writeLink(links, log);
      else revoked.push(log);
    }
    await client.query("begin");
    await assets.insertInto(client, "assets");
    await links.insertInto(client, "links");
    await client.query(revoke, [
      revoked.map(({ topics }) => Buffer.from(topics[1].slice(2), "hex")),
      revoked.map(({ topics }) => Buffer.from(topics[2].slice(2), "hex")),
      revoked.map(({ blockNumber }) => Number(blockNumber)),
    ]);
    await client.query("update cursor set block = $1", [Number(logs.at(-1)?.blockNumber ?? 0)]);
    await client.query("commit");
  }
  client.release();
  await pool.end();
  return events;
}

const bareTables = `
  create table assets (id bytea primary key, author bytea not null, salt bytea not null, name text, data text,
    file_name text, file_type text, file_size text, method text, hash text, uri text, block bigint not null,
    transaction_index bigint not null, log_index bigint not null, transaction_hash bytea not null);
  create index on assets (author, block desc, log_index desc);
  create table links (parent bytea, child bytea, block bigint not null, transaction_index bigint not null,
    log_index bigint not null, transaction_hash bytea not null, revoked_block bigint, primary key (parent, child));
  create table cursor (block bigint);
  insert into cursor values (0);`;

const revoke = `
  update links set revoked_block = revoked.block
  from unnest($1::bytea[], $2::bytea[], $3::bigint[]) as revoked (parent, child, block)
  where links.parent = revoked.parent and links.child = revoked.child`;

function writeAsset(rows: CopyRows, { topics, data, ...place }: RawLog): void {
  const bytes = Buffer.from(data.slice(2), "hex");
  const { salt, texts } = decodeAssetCreated(bytes);
  rows.row(15);
  rows.bytes(topics[1]);
  rows.bytes(`0x${topics[2].slice(26)}`);
  rows.bytes(salt);
  for (const text of texts) rows.bytes(text);
  writePlace(rows, place);
}

function writeLink(rows: CopyRows, { topics, ...place }: RawLog): void {
  rows.row(7);
  rows.bytes(topics[1]);
  rows.bytes(topics[2]);
  writePlace(rows, place);
  rows.null();
}

function writePlace(rows: CopyRows, place: Omit<RawLog, "topics" | "data">): void {
  rows.bigint(Number(place.blockNumber));
  rows.bigint(Number(place.transactionIndex));
  rows.bigint(Number(place.logIndex));
  rows.bytes(place.transactionHash);
}

type Ask = (from: number, to: number) => Promise<RawLog[]>;

/** The answers of all ranges in order, the next one always under way. */
async function* ranges(ask: (chain: BenchChain) => Ask, chain: BenchChain): AsyncGenerator<RawLog[]> {
  const get = ask(chain);
  const at = (from: number) => get(from, Math.min(chain.head, from + blocksInRange - 1));
  let next = at(chain.startBlock);
  for (let from = chain.startBlock; from <= chain.head; from += blocksInRange) {
    const logs = await next;
    if (from + blocksInRange <= chain.head) next = at(from + blocksInRange);
    yield logs;
  }
}

/** The first events of the chain are creations, and its first link is added before any is revoked. */
async function topicsOf(ask: (chain: BenchChain) => Ask, chain: BenchChain): Promise<[Hash, Hash]> {
  const logs = await ask(chain)(chain.startBlock, chain.startBlock + 5);
  const created = logs[0]?.topics[0] as Hash;
  return [created, logs.find(({ topics }) => topics[0] !== created)?.topics[0] as Hash];
}

function asker(rpcUrl: string) {
  const agent = new Agent({ keepAlive: true });
  const headers = { "content-type": "application/json" };
  const post = (body: string) =>
    new Promise<string>((resolve, reject) => {
      const sent = request(rpcUrl, { method: "POST", agent, headers }, (response) => {
        const parts: Buffer[] = [];
        response.on("data", (part: Buffer) => parts.push(part));
        response.on("end", () => resolve(Buffer.concat(parts).toString("latin1")));
        response.on("error", reject);
      });
      sent.on("error", reject);
      sent.end(body);
    });
  return (chain: BenchChain): Ask =>
    async (from, to) => {
      const filter = {
        address: chain.registry.address,
        fromBlock: numberToHex(from),
        toBlock: numberToHex(to),
      };
      const call = { jsonrpc: "2.0", id: 1, method: "eth_getLogs", params: [filter] };
      const answer = JSON.parse(await post(JSON.stringify(call))) as { result: RawLog[] };
      return answer.result;
    };
}
