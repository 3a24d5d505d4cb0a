import { AbiCoder, getAddress, id as topicOf } from "ethers";
import type { Anvil } from "../support/chain/anvil.ts";

/**
 * What the index must say, read from the chain in the plainest way: one `eth_getLogs`, decoded by another
 * library than the indexer's, folded in memory. It shares no code with what it judges.
 */

type Rpc = Anvil["rpc"];

type RawLog = {
  address: string;
  blockNumber: string;
  blockHash: string;
  transactionHash: string;
  transactionIndex: string;
  logIndex: string;
  topics: string[];
  data: string;
};

export type ChainEvent = {
  kind: "created" | "added" | "revoked";
  block: number;
  blockHash: string;
  /** Block, transaction and log in it, and the transaction's hash. */
  place: string;
  /** Of a creation. */
  asset?: { id: string; author: string; salt: string; texts: string[] };
  /** Of a change of links. */
  pair?: { parent: string; child: string };
};

const texts = "bytes,bytes,bytes,bytes,bytes,bytes,bytes,bytes";
const strings = texts.replaceAll("bytes", "string");
const topics = {
  created: topicOf(`AssetCreated(bytes32,address,bytes32,(${strings}))`),
  added: topicOf("LinkAdded(bytes32,bytes32)"),
  revoked: topicOf("LinkRevoked(bytes32,bytes32)"),
};

/** The events of the registry in these blocks, in the order of the chain. */
export async function readEvents(
  rpc: Rpc,
  registry: string,
  from: number,
  to: number,
): Promise<ChainEvent[]> {
  if (to < from) return [];
  const range = { address: registry, fromBlock: `0x${from.toString(16)}`, toBlock: `0x${to.toString(16)}` };
  const logs = await rpc<RawLog[]>("eth_getLogs", [range]);
  logs.sort(
    (a, b) => Number(a.blockNumber) - Number(b.blockNumber) || Number(a.logIndex) - Number(b.logIndex),
  );
  return logs.map(readEvent);
}

function readEvent(log: RawLog): ChainEvent {
  const [topic, first = "", second = ""] = log.topics;
  const block = Number(log.blockNumber);
  const place = `${block} ${Number(log.transactionIndex)} ${Number(log.logIndex)} ${log.transactionHash}`;
  const event = { block, blockHash: log.blockHash, place };
  if (topic === topics.created) {
    const [salt, details] = AbiCoder.defaultAbiCoder().decode(["bytes32", `tuple(${texts})`], log.data);
    const author = getAddress(`0x${second.slice(26)}`);
    return { ...event, kind: "created", asset: { id: first, author, salt, texts: [...details] } };
  }
  const pair = { parent: first, child: second };
  if (topic === topics.added) return { ...event, kind: "added", pair };
  if (topic === topics.revoked) return { ...event, kind: "revoked", pair };
  throw new Error(`The registry emitted a log with the topic ${topic}`);
}

/** A line for each row that the index must hold, and no other. */
export function expectedRows(events: readonly ChainEvent[]): string[] {
  const rows: string[] = [];
  const links = new Map<string, { place: string; revoked: string }[]>();
  const blocks = new Map<number, string>();
  for (const { kind, block, blockHash, place, asset, pair } of events) {
    blocks.set(block, blockHash);
    if (asset) rows.push(`asset ${asset.id} ${asset.author} ${asset.salt} ${place} ${asset.texts.join(" ")}`);
    if (!pair) continue;
    const key = `${pair.parent} ${pair.child}`;
    const times = links.get(key) ?? [];
    const last = times.at(-1);
    if (kind === "added") links.set(key, [...times, { place, revoked: "" }]);
    else if (last) last.revoked = place;
  }
  for (const [key, times] of links) {
    for (const [index, { place, revoked }] of times.entries())
      rows.push(`link ${key} ${index + 1} ${place} revoked ${revoked}`);
  }
  for (const [block, hash] of blocks) rows.push(`block ${block} ${hash}`);
  return rows.sort();
}
