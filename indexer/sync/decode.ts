import { type AbiEvent, type Address, getAbiItem, type Hash, type Hex, toEventSelector } from "viem";
import type { AssetEvent } from "../../db/chain/asset-event.ts";
import type { Cancellation } from "../../db/chain/cancellations.ts";
import type { LinkEvent } from "../../db/chain/links.ts";
import type { UndecodedLog } from "../../db/chain/undecoded.ts";
import type { createDigests } from "../../domain/asset/digests.ts";
import { toBytes } from "../../domain/bytes.ts";
import { registryAbi } from "../../domain/registry/abi.ts";
import type { Log } from "../../rpc/logs/logs.ts";
import { decodeAssetCreated } from "./asset-created.ts";

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

type Digests = ReturnType<typeof createDigests>;

/**
 * Decodes logs of the registry whose digests these are. One that cannot be decoded is set aside with its problem.
 */
export function decodeLogs(digestsOf: Digests, logs: readonly Log[]): Decoded {
  const decoded: Decoded = { assets: [], links: [], cancellations: [], undecoded: [] };
  for (const log of logs) {
    try {
      decodeLog(digestsOf, log, decoded);
    } catch (error) {
      const problem = error instanceof Error ? (error.message.split("\n")[0] ?? error.name) : String(error);
      decoded.undecoded.push(setAside(log, problem));
    }
  }
  return decoded;
}

function setAside(log: Log, problem: string): UndecodedLog {
  const { blockNumber, logIndex, transactionHash, topics, data } = log;
  return { blockNumber, logIndex, transactionHash, topics, data, problem };
}

function decodeLog(digestsOf: Digests, log: Log, decoded: Decoded): void {
  const { topics, data, blockNumber, transactionIndex, logIndex, transactionHash } = log;
  const position = { blockNumber, transactionIndex, logIndex, transactionHash };
  switch (topics[0]) {
    case selectors.created: {
      const [id, author] = indexed(topics);
      decoded.assets.push({ ...createdAsset(digestsOf, id, author, data), position });
      return;
    }
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

/** @throws Error where the id is not the digest of the content */
function createdAsset(digestsOf: Digests, id: Hex, author: Hex, data: Uint8Array) {
  const asset = { author: toBytes(addressIn(author)), ...decodeAssetCreated(data) };
  const digests = digestsOf(asset);
  if (!toBytes(id).equals(digests.id)) throw new Error("the id does not commit to the content");
  return { ...asset, ...digests };
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
