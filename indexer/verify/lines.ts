import {
  bytesToHex,
  concat,
  decodeAbiParameters,
  encodeAbiParameters,
  getAddress,
  type Hex,
  hashDomain,
  hexToBytes,
  keccak256,
  stringToHex,
} from "viem";
import type { AssetLine } from "../../db/chain/rows-as-text.ts";
import { searchKeys } from "../../db/core/search-keys.ts";
import { readText } from "../../domain/asset/asset.ts";
import type { Registry } from "../../domain/asset/typed-data.ts";
import type { PlainLog } from "./plain-node.ts";

/** The expected row of a log, in the form of `db/chain/rows-as-text.ts`. */

const assetType =
  "Asset(address author,bytes32 salt,string name,string data,string fileName,string fileType,string fileSize,string method,string hash,string uri)";
const strings = "string,string,string,string,string,string,string,string";
const topicOf = (signature: string): Hex => keccak256(stringToHex(signature));
const topics = {
  created: topicOf(`AssetCreated(bytes32,address,bytes32,(${strings}))`),
  added: topicOf("LinkAdded(bytes32,bytes32)"),
  revoked: topicOf("LinkRevoked(bytes32,bytes32)"),
  creationCancelled: topicOf("CreationCancelled(bytes32,address)"),
  linkChangeCancelled: topicOf("LinkChangeCancelled(address,uint256)"),
};

/** Decodes `string` as `bytes`, which has the same encoding and is not altered. */
const byteTexts = Array.from({ length: 8 }, () => ({ type: "bytes" }) as const);
const createdData = [{ type: "bytes32" }, { type: "tuple", components: byteTexts }] as const;

export function expectedLine(registry: Registry, log: PlainLog): string {
  const [topic, first, second, ...more] = log.topics;
  const [block, transactionIndex, logIndex] = [log.blockNumber, log.transactionIndex, log.logIndex].map(
    Number,
  );
  const place = `${block} ${log.blockHash} ${transactionIndex} ${logIndex} ${log.transactionHash}`;
  const undecoded = `undecoded ${block} ${log.blockHash} ${logIndex} ${log.transactionHash} ${log.topics.join()} ${log.data}`;
  if (first === undefined || second === undefined || more.length > 0) return undecoded;
  if (topic === topics.created) return assetLine(registry, log, first, second, place) ?? undecoded;
  if (topic === topics.added && log.data === "0x") return `link ${place} ${first} ${second}`;
  if (topic === topics.revoked && log.data === "0x") return `revocation ${place} ${first} ${second}`;
  if (topic === topics.creationCancelled) return cancellationLine(place, second, first) ?? undecoded;
  if (topic === topics.linkChangeCancelled) return cancellationLine(place, first, second) ?? undecoded;
  return undecoded;
}

function cancellationLine(place: string, author: Hex, subject: Hex): string | undefined {
  if (!/^0x0{24}/.test(author)) return undefined;
  return `cancellation ${place} 0x${author.slice(26)} ${subject}`;
}

/** Undefined where the log is no creation whose id is the digest of its content. */
function assetLine(
  registry: Registry,
  log: PlainLog,
  id: Hex,
  authorTopic: Hex,
  place: string,
): string | undefined {
  try {
    const [salt, details] = decodeAbiParameters(createdData, log.data);
    const texts = Object.values(details) as Hex[];
    const author = getAddress(`0x${authorTopic.slice(26)}`);
    const words = texts.map((text) => keccak256(text));
    const contentHash = keccak256(
      encodeAbiParameters(
        [
          { type: "bytes32" },
          { type: "address" },
          ...Array.from({ length: 9 }, () => ({ type: "bytes32" }) as const),
        ],
        [topicOf(assetType), author, salt, ...words],
      ),
    );
    if (keccak256(concat(["0x1901", domainSeparator(registry), contentHash])) !== id) return undefined;
    const shown = texts.map((text) => stringToHex(readText(hexToBytes(text)).text));
    const keys = keysOf(texts.map((text) => readText(hexToBytes(text)).text));
    const head = `asset ${place} ${id} ${author.toLowerCase()} ${salt} ${contentHash} ${keys}`;
    return assetWords(head, texts, shown);
  } catch {
    return undefined;
  }
}

/** Search keys of the asset. */
function keysOf([name = "", , , , , method = "", hash = ""]: readonly string[]): string {
  const { nameKey, fileDigest } = searchKeys({ name, method, hash });
  return `${stringToHex(nameKey)} ${fileDigest === undefined ? "-" : bytesToHex(fileDigest)}`;
}

function domainSeparator({ chainId, address }: Registry): Hex {
  return hashDomain({
    domain: { name: "Asset Registry", version: "1", chainId: BigInt(chainId), verifyingContract: address },
    types: {
      EIP712Domain: [
        { name: "name", type: "string" },
        { name: "version", type: "string" },
        { name: "chainId", type: "uint256" },
        { name: "verifyingContract", type: "address" },
      ],
    },
  });
}

/** The line of a row. */
export function heldLine({ head, texts, raw }: AssetLine): string {
  const exact = raw === null ? texts : decodeAbiParameters([{ type: "bytes[]" }], new Uint8Array(raw))[0];
  return assetWords(head, exact, texts);
}

/** Its texts as on the chain, and as shown where that differs. */
function assetWords(head: string, exact: readonly string[], shown: readonly string[]): string {
  const same = exact.join(" ") === shown.join(" ");
  return `${head} ${exact.join(" ")}${same ? "" : ` shown as ${shown.join(" ")}`}`;
}
