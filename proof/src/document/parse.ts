import { utf8 } from "../bytes/bytes.ts";
import { bounds } from "./bounds.ts";
import { ProofError } from "./error.ts";
import { assetTexts, proofFormat, proofVersion } from "./format.ts";
import { address, bytes, hash, integer, list, members, text } from "./values.ts";

/** A proof in bytes, as checks use it. */
export type ParsedProof = {
  chainId: number;
  registry: Uint8Array;
  block: { number: number; hash: Uint8Array; timestamp: number; header: Uint8Array };
  account: Uint8Array[];
  asset: ParsedAsset;
  assetSlot: Uint8Array[];
  links: { child: Uint8Array; nodes: Uint8Array[] }[];
};

/** `texts` in the order of `assetTexts`, each in UTF-8; `method` and `hash` are read as texts, too. */
export type ParsedAsset = {
  id: Uint8Array;
  author: Uint8Array;
  salt: Uint8Array;
  texts: Uint8Array[];
  method: string;
  hash: string;
};

/**
 * Checks the form of a document, and all its bounds.
 * @throws ProofError that names the member and what must stand there
 */
export function parseProof(value: unknown): ParsedProof {
  requireVersion(value);
  const proof = members(value, "the proof", [
    ...["format", "version", "chainId", "registry", "block", "account", "asset"],
    ...["assetSlot", "links", "event", "explanation"],
  ]);
  parseEvent(proof["event"]);
  text(proof["explanation"], "explanation");
  return {
    chainId: integer(proof["chainId"], "chainId"),
    registry: address(proof["registry"], "registry"),
    block: parseBlock(proof["block"]),
    account: parseNodes(proof["account"], "account"),
    asset: parseAsset(proof["asset"]),
    assetSlot: parseNodes(proof["assetSlot"], "assetSlot"),
    links: parseLinks(proof["links"]),
  };
}

/** Comes first: other versions have other members. */
function requireVersion(value: unknown): void {
  const { format, version } = (typeof value === "object" && value !== null ? value : {}) as {
    format?: unknown;
    version?: unknown;
  };
  if (format !== proofFormat) {
    throw new ProofError(
      "unknown-format",
      `The document is no proof of a registry: its format is not ${proofFormat}.`,
    );
  }
  if (version !== proofVersion) {
    throw new ProofError(
      "unknown-version",
      `The proof is of another version than ${proofVersion}: use a later verifier.`,
    );
  }
}

function parseBlock(value: unknown): ParsedProof["block"] {
  const block = members(value, "block", ["number", "hash", "timestamp", "header"]);
  return {
    number: integer(block["number"], "block.number"),
    hash: hash(block["hash"], "block.hash"),
    timestamp: integer(block["timestamp"], "block.timestamp"),
    header: bytes(block["header"], "block.header", bounds.headerBytes),
  };
}

function parseAsset(value: unknown): ParsedAsset {
  const asset = members(value, "asset", ["id", "author", "salt", ...assetTexts]);
  const texts = assetTexts.map((name) => text(asset[name], `asset.${name}`));
  return {
    id: hash(asset["id"], "asset.id"),
    author: address(asset["author"], "asset.author"),
    salt: hash(asset["salt"], "asset.salt"),
    texts: texts.map(utf8),
    method: texts[assetTexts.indexOf("method")] ?? "",
    hash: texts[assetTexts.indexOf("hash")] ?? "",
  };
}

function parseLinks(value: unknown): ParsedProof["links"] {
  const children = new Set<unknown>();
  return list(value, "links", bounds.links).map((entry, index) => {
    const place = `links[${index}]`;
    const { child, proof } = members(entry, place, ["child", "proof"]);
    const link = { child: hash(child, `${place}.child`), nodes: nodes(proof, `${place}.proof`) };
    if (children.has(child)) throw new ProofError("duplicate-member", `${place}.child has an entry before.`);
    children.add(child);
    return link;
  });
}

const parseNodes = (value: unknown, place: string): Uint8Array[] =>
  nodes(members(value, place, ["proof"])["proof"], `${place}.proof`);

const nodes = (value: unknown, place: string): Uint8Array[] =>
  list(value, place, bounds.nodes).map((node, index) => bytes(node, `${place}[${index}]`, bounds.nodeBytes));

function parseEvent(value: unknown): void {
  const event = members(value, "event", ["blockNumber", "blockHash", "transactionHash", "logIndex"]);
  integer(event["blockNumber"], "event.blockNumber");
  hash(event["blockHash"], "event.blockHash");
  hash(event["transactionHash"], "event.transactionHash");
  integer(event["logIndex"], "event.logIndex");
}
