import {
  type AbiEvent,
  decodeAbiParameters,
  decodeEventLog,
  getAbiItem,
  type Hash,
  hexToBytes,
  toEventSelector,
} from "viem";
import type { NewAsset } from "../db/assets.ts";
import type { LinkChange } from "../db/links.ts";
import type { UndecodedLog } from "../db/undecoded.ts";
import { detailFields, mapDetails } from "../domain/asset.ts";
import { registryAbi } from "../domain/registry-abi.ts";
import { assetIdOf, hashAsset, type Registry } from "../domain/typed-data.ts";
import type { Log } from "./node.ts";

/** What a batch of logs brings, each list in the order of the chain. */
export type Decoded = { assets: NewAsset[]; links: LinkChange[]; undecoded: UndecodedLog[] };

/**
 * The data of `AssetCreated` with `bytes` in the place of `string`: both have the same encoding, and bytes
 * come out as they are where a string would be patched up when it is no valid UTF-8.
 */
const createdData = [
  { name: "salt", type: "bytes32" },
  {
    name: "details",
    type: "tuple",
    components: detailFields.map((name) => ({ name, type: "bytes" }) as const),
  },
] as const;

const selector = (name: "AssetCreated" | "LinkAdded" | "LinkRevoked"): Hash =>
  toEventSelector(getAbiItem({ abi: registryAbi, name }) as AbiEvent);
const selectors = {
  created: selector("AssetCreated"),
  added: selector("LinkAdded"),
  revoked: selector("LinkRevoked"),
};

/** Every event of the registry. Those that no case reads, such as a cancelled signature, change no row. */
const knownTopics = new Set<Hash>(
  registryAbi.filter((item) => item.type === "event").map((event) => toEventSelector(event as AbiEvent)),
);

const linkEvents = registryAbi.filter(
  (item) => item.type === "event" && (item.name === "LinkAdded" || item.name === "LinkRevoked"),
);

/** Reads logs of the registry. One that cannot be read is set aside with its problem and stops nothing. */
export function decodeLogs(registry: Registry, logs: readonly Log[]): Decoded {
  const decoded: Decoded = { assets: [], links: [], undecoded: [] };
  for (const log of logs) {
    try {
      decodeLog(registry, log, decoded);
    } catch (error) {
      const { blockNumber, logIndex, transactionHash, topics, data } = log;
      const problem = error instanceof Error ? (error.message.split("\n")[0] ?? error.name) : String(error);
      decoded.undecoded.push({ blockNumber, logIndex, transactionHash, topics, data, problem });
    }
  }
  return decoded;
}

function decodeLog(registry: Registry, log: Log, decoded: Decoded): void {
  const { data, blockNumber, transactionIndex, logIndex, transactionHash } = log;
  const position = { blockNumber, transactionIndex, logIndex, transactionHash };
  const [topic, ...indexed] = log.topics;
  const topics: [Hash, ...Hash[]] = [topic ?? "0x", ...indexed];
  switch (topic) {
    case selectors.created: {
      const { id, author } = decodeEventLog({
        abi: registryAbi,
        eventName: "AssetCreated",
        topics,
        data,
      }).args;
      const [salt, raw] = decodeAbiParameters(createdData, data);
      const details = mapDetails((field) => hexToBytes(raw[field]));
      // The id commits to every word: an answer that changed one is not the registry's event.
      if (assetIdOf(registry, hashAsset(author, salt, details)) !== id) {
        throw new Error("the id does not commit to the content");
      }
      decoded.assets.push({ id, author, salt, details, position });
      return;
    }
    case selectors.added:
    case selectors.revoked: {
      const { args } = decodeEventLog({ abi: linkEvents, topics, data, strict: true });
      const kind = topic === selectors.added ? "added" : "revoked";
      decoded.links.push({ kind, parent: args.parent, child: args.child, position });
      return;
    }
    default:
      if (topic !== undefined && knownTopics.has(topic)) return;
      throw new Error(`no event of the registry has the topic ${topic}`);
  }
}
