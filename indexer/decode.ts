import { type AbiEvent, type Address, getAbiItem, type Hash, type Hex, toEventSelector } from "viem";
import type { NewAsset } from "../db/assets.ts";
import type { Cancellation } from "../db/cancellations.ts";
import type { AssetDigests, Digests } from "../db/digest.ts";
import type { LinkChange } from "../db/links.ts";
import type { UndecodedLog } from "../db/undecoded.ts";
import { registryAbi } from "../domain/registry-abi.ts";
import { readCreation } from "./creation.ts";
import type { Log } from "./node.ts";

/** What a batch of logs brings, each list in the order of the chain. */
export type Decoded = {
  assets: NewAsset[];
  links: LinkChange[];
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

type Creation = Omit<NewAsset, "contentHash"> & { log: Log };

/** Reads logs of the registry whose digests these are. One that cannot be read is set aside with its problem and stops nothing. */
export function decodeLogs(digestsOf: Digests, logs: readonly Log[]): Decoded {
  const decoded: Decoded = { assets: [], links: [], cancellations: [], undecoded: [] };
  const creations: Creation[] = [];
  for (const log of logs) {
    try {
      decodeLog(log, decoded, creations);
    } catch (error) {
      const problem = error instanceof Error ? (error.message.split("\n")[0] ?? error.name) : String(error);
      decoded.undecoded.push(setAside(log, problem));
    }
  }
  const digests = digestsOf(creations);
  for (const [index, { log, id, author, salt, details, position }] of creations.entries()) {
    const { contentHash, id: committed } = digests[index] as AssetDigests;
    // The id commits to every word: an answer that changed one is not the registry's event.
    if (committed === id) decoded.assets.push({ id, author, salt, details, contentHash, position });
    else decoded.undecoded.push(setAside(log, "the id does not commit to the content"));
  }
  decoded.undecoded.sort((a, b) => a.blockNumber - b.blockNumber || a.logIndex - b.logIndex);
  return decoded;
}

function setAside(log: Log, problem: string): UndecodedLog {
  const { blockNumber, logIndex, transactionHash, topics, data } = log;
  return { blockNumber, logIndex, transactionHash, topics, data, problem };
}

function decodeLog(log: Log, decoded: Decoded, creations: Creation[]): void {
  const { topics, data, blockNumber, transactionIndex, logIndex, transactionHash } = log;
  const position = { blockNumber, transactionIndex, logIndex, transactionHash };
  switch (topics[0]) {
    case selectors.created: {
      const [id, author] = indexed(topics);
      creations.push({ id, author: addressIn(author), ...readCreation(data), position, log });
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

/** Every event of the registry has two indexed words. */
function indexed(topics: readonly Hex[]): [Hex, Hex] {
  const [, first, second] = topics;
  if (first === undefined || second === undefined || topics.length !== 3) {
    throw new Error(`an event of the registry has 3 topics, this log has ${topics.length}`);
  }
  return [first, second];
}

function addressIn(word: Hex): Address {
  if (!word.startsWith("0x000000000000000000000000")) throw new Error("the author is no address");
  return `0x${word.slice(26)}`;
}
