import { isAscii, isUtf8 } from "node:buffer";
import { type Address, decodeAbiParameters, encodeAbiParameters, type Hex } from "viem";
import {
  type AssetDetails,
  type AssetId,
  detailFields,
  mapDetails,
  type RawDetails,
  readText,
} from "../domain/asset.ts";
import type { Position } from "../domain/position.ts";
import { addressFromBytes, fromBytes, toBytes } from "./bytes.ts";
import { CopyRows } from "./copy.ts";
import { newestLinkChange } from "./links.ts";
import type { Database, Transaction } from "./pool.ts";
import { type SearchKeys, searchKeys } from "./search-keys.ts";

/** An asset as the chain brought it. */
export type NewAsset = {
  id: AssetId;
  author: Address;
  salt: Hex;
  details: RawDetails;
  /** `hashStruct(Asset)` of author, salt and details. */
  contentHash: Hex;
  position: Position;
};

/** An asset of the index. `details` is for showing, `raw` is what the chain holds; times in seconds since 1970. */
export type ChainAsset = {
  id: AssetId;
  author: Address;
  salt: Hex;
  details: AssetDetails;
  /** Undefined where the chain holds the very bytes of `details`, as it nearly always does. */
  raw: RawDetails | undefined;
  /** `hashStruct(Asset)` of what the chain brought; the row agrees with it unless it was tampered with. */
  contentHash: Hex;
  position: Position;
  createdOn: number;
  /** Time of the creation, or of the last change to the outgoing links. */
  updatedOn: number;
};

const rawTexts = [{ type: "bytes[]" }] as const;

function encodeRaw(details: RawDetails): Hex {
  return encodeAbiParameters(rawTexts, [detailFields.map((field) => fromBytes(details[field]))]);
}

export function decodeRaw(encoded: Buffer): RawDetails {
  const [texts] = decodeAbiParameters(rawTexts, fromBytes(encoded));
  return mapDetails((field) => toBytes(texts[detailFields.indexOf(field)] ?? "0x"));
}

const columns = [
  ...["id", "author", "salt", "content_hash"],
  ...["name", "data", "file_name", "file_type", "file_size", "method", "hash", "uri", "raw_details"],
  ...["name_key", "file_digest", "block_number", "transaction_index", "log_index", "transaction_hash"],
];

/** Assets on their way into the index, encoded at once: of the objects that they come in, nothing stays in memory. */
export class AssetRows {
  readonly ids: AssetId[] = [];
  #rows = new CopyRows();

  add({ id, author, salt, contentHash, details, position }: NewAsset): void {
    const rows = this.#rows;
    this.ids.push(id);
    rows.row(columns.length);
    rows.bytes(id);
    rows.bytes(author);
    rows.bytes(salt);
    rows.bytes(contentHash);
    let exact = true;
    for (const field of detailFields) {
      const bytes = details[field];
      if (isText(bytes)) rows.bytes(bytes);
      else {
        exact = false;
        rows.bytes(Buffer.from(readText(bytes).text));
      }
    }
    if (exact) rows.null();
    else rows.bytes(encodeRaw(details));
    const { nameKey, fileDigest } = searchKeysOf(details);
    rows.bytes(Buffer.from(nameKey));
    if (fileDigest === undefined) rows.null();
    else rows.bytes(fileDigest);
    rows.bigint(position.blockNumber);
    rows.bigint(position.transactionIndex);
    rows.bigint(position.logIndex);
    rows.bytes(position.transactionHash);
  }

  append(later: AssetRows): void {
    for (const id of later.ids) this.ids.push(id);
    this.#rows.append(later.#rows);
  }

  async insert(tx: Transaction): Promise<void> {
    await this.#rows.insertInto(tx, `chain.assets (${columns.join(", ")})`);
  }
}

export async function insertAssets(tx: Transaction, assets: readonly NewAsset[]): Promise<void> {
  const rows = new AssetRows();
  for (const asset of assets) rows.add(asset);
  await rows.insert(tx);
}

/** Of the texts as they are shown. */
function searchKeysOf({ name, method, hash }: RawDetails): SearchKeys {
  return searchKeys({ name: textOf(name), method: textOf(method), hash: textOf(hash) });
}

/** Most texts are ASCII, which takes a third of the time. */
function textOf(bytes: Uint8Array): string {
  if (!isText(bytes)) return readText(bytes).text;
  return bufferOf(bytes).toString(isAscii(bytes) ? "latin1" : "utf8");
}

/** Whether a text column can hold these bytes exactly. */
function isText(bytes: Uint8Array): boolean {
  if (bytes.length <= shortText && isPlain(bytes)) return true;
  return (isAscii(bytes) || isUtf8(bytes)) && bufferOf(bytes).indexOf(0) < 0;
}

/** Up to so many bytes a loop is faster than a call out of JavaScript. */
const shortText = 80;

/** Whether all are ASCII, and none is zero. */
function isPlain(bytes: Uint8Array): boolean {
  // Less one, zero is negative and what is not ASCII is above 126.
  let all = 0;
  for (let index = 0; index < bytes.length; index += 1) all |= (bytes[index] as number) - 1;
  return all >= 0 && all < 127;
}

/** The same bytes, not copied. */
const bufferOf = (bytes: Uint8Array): Buffer =>
  Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

export type AssetRow = PositionColumns & {
  id: Buffer;
  author: Buffer;
  salt: Buffer;
  name: string;
  data: string;
  file_name: string;
  file_type: string;
  file_size: string;
  method: string;
  hash: string;
  uri: string;
  raw_details: Buffer | null;
  content_hash: Buffer;
  created_on: number;
  updated_on: number;
};

/** Columns of a row that say where it stands on the chain. */
export type PositionColumns = {
  block_number: number;
  transaction_index: number;
  log_index: number;
  transaction_hash: Buffer;
};

export function parsePosition(row: PositionColumns): Position {
  return {
    blockNumber: row.block_number,
    transactionIndex: row.transaction_index,
    logIndex: row.log_index,
    transactionHash: fromBytes(row.transaction_hash),
  };
}

/** @returns the asset of the current chain with this id */
export async function findAsset(db: Database, id: AssetId): Promise<ChainAsset | undefined> {
  return (await findAssets(db, [id]))[0];
}

/** Those of these ids that are assets of the current chain, in any order. */
export async function findAssets(db: Database, ids: readonly AssetId[]): Promise<ChainAsset[]> {
  const { rows } = await db.query<AssetRow>(
    `select asset.*, block.timestamp as created_on, greatest(
       block.timestamp,
       (select timestamp from chain.blocks where number = ${newestLinkChange("asset.id")})) as updated_on
     from chain.assets asset join chain.blocks block on block.number = asset.block_number
     where asset.id = any($1::bytea[])`,
    [ids.map(toBytes)],
  );
  return rows.map(parseAsset);
}

export function parseAsset(row: AssetRow): ChainAsset {
  const details = {
    name: row.name,
    data: row.data,
    fileName: row.file_name,
    fileType: row.file_type,
    fileSize: row.file_size,
    method: row.method,
    hash: row.hash,
    uri: row.uri,
  };
  return {
    id: fromBytes(row.id),
    author: addressFromBytes(row.author),
    salt: fromBytes(row.salt),
    details,
    raw: row.raw_details === null ? undefined : decodeRaw(row.raw_details),
    contentHash: fromBytes(row.content_hash),
    position: parsePosition(row),
    createdOn: row.created_on,
    updatedOn: row.updated_on,
  };
}

/** Which of these ids are assets of the current chain. */
export async function assetsOnChain(db: Database, ids: readonly AssetId[]): Promise<Set<AssetId>> {
  const { rows } = await db.query<{ id: Buffer }>("select id from chain.assets where id = any($1::bytea[])", [
    ids.map(toBytes),
  ]);
  return new Set(rows.map(({ id }) => fromBytes(id)));
}
