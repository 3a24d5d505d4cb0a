import { type AbiEvent, type Address, getAbiItem, type Hash, type Hex, toEventSelector } from "viem";
import type { AssetEvent } from "../../db/chain/asset-event.ts";
import type { Cancellation } from "../../db/chain/cancellations.ts";
import type { LinkEvent } from "../../db/chain/links.ts";
import type { UndecodedLog } from "../../db/chain/undecoded.ts";
import { sameBytes, toBytes } from "../../db/core/bytes.ts";
import { detailFields } from "../../domain/asset/asset.ts";
import type { createDigests } from "../../domain/asset/digests.ts";
import { registryAbi } from "../../domain/registry/abi.ts";
import { ScannedLog } from "../../rpc/logs/scanned-log.ts";
import type { Log } from "../../rpc/node.ts";
import { readCreation } from "./creation.ts";

/** Decoded events of a batch of logs, each list in the order of the chain. */
export type Decoded = {
  assets: AssetEvent[];
  links: LinkEvent[];
  cancellations: Cancellation[];
  undecoded: UndecodedLog[];
};

type EventName = "AssetCreated" | "LinkAdded" | "LinkRevoked" | "CreationCancelled" | "LinkChangeCancelled";
const selector = (name: EventName): Hash =>
  toEventSelector(getAbiItem({ abi: registryAbi, name }) as AbiEvent);
const selectors = {
  created: selector("AssetCreated"),
  added: selector("LinkAdded"),
  revoked: selector("LinkRevoked"),
  creationCancelled: selector("CreationCancelled"),
  linkChangeCancelled: selector("LinkChangeCancelled"),
};

const created = toBytes(selectors.created);

/**
 * Decodes logs of the registry whose digests these are. One that cannot be decoded is set aside with its problem.
 */
export function decodeLogs(digestsOf: ReturnType<typeof createDigests>, logs: readonly Log[]): Decoded {
  const decoded: Decoded = { assets: [], links: [], cancellations: [], undecoded: [] };
  for (const log of logs) {
    try {
      const scanned = ScannedLog.of(log);
      if (scanned.topicCount > 0 && sameBytes(scanned.words, scanned.first, created, 32)) {
        decoded.assets.push(creationOf(scanned, digestsOf));
      } else decodeLog(log, decoded);
    } catch (error) {
      const problem = error instanceof Error ? (error.message.split("\n")[0] ?? error.name) : String(error);
      decoded.undecoded.push(setAside(log, problem));
    }
  }
  return decoded;
}

/** @throws Error where the id is not the digest of the content */
function creationOf(log: ScannedLog, digestsOf: ReturnType<typeof createDigests>): AssetEvent {
  const { words, first, topicCount, transaction, begin, end, blockNumber, transactionIndex, logIndex } = log;
  expectTopics(topicCount);
  const [id, author] = [first + 32, first + 64];
  if (!sameBytes(words, author, noAddress, noAddress.length)) throw new Error("the author is no address");
  const places = readCreation(words, begin, end);
  const asset = {
    author: words.subarray(author + noAddress.length, author + 32),
    salt: words.subarray(begin, begin + 32),
    texts: detailFields.map((_, index) => words.subarray(places[2 * index], places[2 * index + 1])),
  };
  const digests = digestsOf(asset);
  if (!sameBytes(words, id, digests.id, 32)) throw new Error("the id does not commit to the content");
  const transactionHash = words.subarray(transaction, transaction + 32);
  return { ...asset, ...digests, transactionHash, blockNumber, transactionIndex, logIndex };
}

/** Padding of an address in a word. */
const noAddress = new Uint8Array(12);

function setAside(log: Log, problem: string): UndecodedLog {
  const { blockNumber, logIndex, transactionHash, topics, data } = log;
  // Copied, because the buffer of the logs is reused.
  return { blockNumber, logIndex, transactionHash, topics, data: Uint8Array.from(data), problem };
}

function decodeLog(log: Log, decoded: Decoded): void {
  const { topics, data, blockNumber, transactionIndex, logIndex, transactionHash } = log;
  const position = { blockNumber, transactionIndex, logIndex, transactionHash };
  switch (topics[0]) {
    case selectors.added:
    case selectors.revoked: {
      const [parent, child] = indexed(topics);
      if (data.length > 0) throw new Error("a link event has no data");
      const kind = topics[0] === selectors.added ? "added" : "revoked";
      decoded.links.push({ kind, parent, child, position });
      return;
    }
    case selectors.creationCancelled: {
      const [subject, author] = indexed(topics);
      decoded.cancellations.push({ author: addressIn(author), subject, position });
      return;
    }
    case selectors.linkChangeCancelled: {
      const [author, subject] = indexed(topics);
      decoded.cancellations.push({ author: addressIn(author), subject, position });
      return;
    }
    default:
      throw new Error(`no event of the registry has the topic ${topics[0]}`);
  }
}

/** Every event of the registry has two indexed words. */
function indexed(topics: readonly Hex[]): [Hex, Hex] {
  expectTopics(topics.length);
  return topics.slice(1) as [Hex, Hex];
}

function expectTopics(count: number): void {
  if (count !== 3) throw new Error(`an event of the registry has 3 topics, this log has ${count}`);
}

function addressIn(word: Hex): Address {
  if (!word.startsWith("0x000000000000000000000000")) throw new Error("the author is no address");
  return `0x${word.slice(26)}`;
}
