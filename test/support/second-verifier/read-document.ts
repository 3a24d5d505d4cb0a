import { getAddress } from "ethers";
import { Digits, NotReadable, readJson } from "./read-json.ts";

const textNames = ["name", "data", "fileName", "fileType", "fileSize", "method", "hash", "uri"] as const;

export type Asset = Record<(typeof textNames)[number] | "id" | "author" | "salt", string>;

export type ProofDocument = {
  chainId: number;
  registry: string;
  block: { number: number; hash: string; timestamp: number; header: string };
  accountProof: string[];
  asset: Asset;
  assetProof: string[];
  links: { child: string; proof: string[] }[];
};

/**
 * The members of a proof document, bare or in the service's envelope.
 * @throws NotReadable
 */
export function readDocument(bytes: Uint8Array): ProofDocument {
  const outer = readJson(bytes);
  if (!isObject(outer) || !("value" in outer)) return documentOf(outer);
  const { meta: _anything, ...envelope } = outer;
  return documentOf(members(envelope, ["value"])["value"]);
}

function documentOf(value: unknown): ProofDocument {
  const document = members(value, [
    ...["format", "version", "chainId", "registry", "block", "account"],
    ...["asset", "assetSlot", "links", "event", "explanation"],
  ]);
  if (document["format"] !== "asset-registry-proof" || number(document["version"]) !== 1) {
    throw new NotReadable("it is no proof of version 1");
  }
  const block = members(document["block"], ["number", "hash", "timestamp", "header"]);
  const event = members(document["event"], ["blockNumber", "blockHash", "transactionHash", "logIndex"]);
  for (const name of ["blockNumber", "logIndex"]) number(event[name]);
  for (const name of ["blockHash", "transactionHash"]) hash(event[name]);
  text(document["explanation"]);
  const links = list(document["links"], 256).map((entry) => {
    const { child, proof } = members(entry, ["child", "proof"]);
    return { child: hash(child), proof: nodes(proof) };
  });
  if (new Set(links.map(({ child }) => child)).size < links.length)
    throw new NotReadable("a child stands twice");
  return {
    chainId: number(document["chainId"]),
    registry: address(document["registry"]),
    block: {
      number: number(block["number"]),
      hash: hash(block["hash"]),
      timestamp: number(block["timestamp"]),
      header: bytes(block["header"], 16_384),
    },
    accountProof: nodes(members(document["account"], ["proof"])["proof"]),
    asset: assetOf(document["asset"]),
    assetProof: nodes(members(document["assetSlot"], ["proof"])["proof"]),
    links,
  };
}

function assetOf(value: unknown): Asset {
  const asset = members(value, ["id", "author", "salt", ...textNames]);
  const texts = Object.fromEntries(textNames.map((name) => [name, text(asset[name])]));
  const { id, author, salt } = asset;
  return { ...texts, id: hash(id), author: address(author), salt: hash(salt) } as Asset;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Digits);

/** The members of an object that has exactly these. */
function members(value: unknown, names: readonly string[]): Record<string, unknown> {
  const exact = isObject(value) && Object.keys(value).sort().join() === [...names].sort().join();
  if (!exact) throw new NotReadable(`an object must have ${names.join(", ")}, and no other member`);
  return value;
}

function list(value: unknown, most: number): unknown[] {
  if (!Array.isArray(value) || value.length > most) throw new NotReadable(`no list of at most ${most}`);
  return value;
}

const nodes = (value: unknown) => list(value, 64).map((node) => bytes(node, 1024));

function number(value: unknown): number {
  const digits = value instanceof Digits ? value.text : "";
  const isRight = /^(?:0|[1-9][0-9]{0,15})$/.test(digits) && BigInt(digits) < 2n ** 53n;
  if (!isRight) throw new NotReadable("no number, or one of another form");
  return Number(digits);
}

function text(value: unknown): string {
  if (typeof value !== "string" || !value.isWellFormed())
    throw new NotReadable("no text that has a form in UTF-8");
  return value;
}

function bytes(value: unknown, most: number): string {
  const hex = text(value);
  const length = hex.length / 2 - 1;
  if (!/^0x(?:[0-9a-f]{2})+$/.test(hex) || length > most) throw new NotReadable(`not 1 to ${most} bytes`);
  return hex;
}

function hash(value: unknown): string {
  const hex = bytes(value, 32);
  if (hex.length !== 66) throw new NotReadable("not 32 bytes");
  return hex;
}

/** An address in lower case. */
function address(value: unknown): string {
  const written = text(value);
  const lower = written.toLowerCase();
  const right = /^0x[0-9a-f]{40}$/.test(lower) && [lower, getAddress(lower)].includes(written);
  if (!right) throw new NotReadable("no address, or its checksum is wrong");
  return lower;
}
