import { isAscii, isUtf8 } from "node:buffer";
import { decodeAbiParameters, encodeAbiParameters, type Hex } from "viem";
import { detailFields, mapDetails, type RawDetails, readText } from "../../domain/asset/asset.ts";
import { fromBytes, toBytes } from "../../domain/bytes.ts";
import { nameKey } from "../../domain/search/search-keys.ts";
import { CopyRows } from "../core/copy.ts";
import type { Transaction } from "../core/pool.ts";
import {
  digestBytes,
  fileDigest,
  longestPlainName,
  writePlainFileDigest,
  writePlainNameKey,
} from "../core/search-keys.ts";
import type { AssetEvent } from "./asset-event.ts";

const rawTexts = [{ type: "bytes[]" }] as const;

function encodeRaw(texts: readonly Uint8Array[]): Hex {
  return encodeAbiParameters(rawTexts, [texts.map(fromBytes)]);
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

/** Rows of assets for COPY, encoded at once, so that the events need not stay in memory. */
export class AssetRows {
  #rows = new CopyRows();
  #ids = Buffer.allocUnsafe(32 * 64);

  /** Their ids, joined as `joinHashes` does it. */
  get ids(): Buffer {
    return this.#ids.subarray(0, 32 * this.#rows.size);
  }

  add(asset: AssetEvent): void {
    const { id, texts, position } = asset;
    const rows = this.#rows;
    this.#reserveIds(1);
    this.#ids.set(id, 32 * rows.size);
    rows.row(columns.length);
    rows.bytes(id);
    rows.bytes(asset.author);
    rows.bytes(asset.salt);
    rows.bytes(asset.contentHash);
    let exact = true;
    for (const text of texts) {
      if (isText(text)) rows.bytes(text);
      else {
        exact = false;
        rows.bytes(Buffer.from(readText(text).text));
      }
    }
    if (exact) rows.null();
    else rows.bytes(encodeRaw(texts));
    this.#addSearchKeys(texts);
    rows.bigint(position.blockNumber);
    rows.bigint(position.transactionIndex);
    rows.bigint(position.logIndex);
    rows.bytes(position.transactionHash);
  }

  append(later: AssetRows): void {
    const { ids } = later;
    this.#reserveIds(ids.length / 32);
    this.#ids.set(ids, 32 * this.#rows.size);
    this.#rows.append(later.#rows);
  }

  async insert(tx: Transaction): Promise<void> {
    await this.#rows.insertInto(tx, `chain.assets (${columns.join(", ")})`);
  }

  /** Releases the buffers of the rows for reuse, once they are committed. */
  release(): void {
    this.#rows.release();
  }

  #reserveIds(more: number): void {
    const needed = 32 * (this.#rows.size + more);
    if (needed <= this.#ids.length) return;
    const { ids } = this;
    this.#ids = Buffer.allocUnsafe(2 * needed);
    this.#ids.set(ids);
  }

  /** Search keys of the texts as they are shown. */
  #addSearchKeys(texts: readonly Uint8Array[]): void {
    const rows = this.#rows;
    const [name, method, hash] = keyed.map((place) => texts[place]) as [Uint8Array, Uint8Array, Uint8Array];
    const size = writePlainNameKey(name, nameScratch);
    if (size >= 0) rows.bytes(nameScratch.subarray(0, size));
    else rows.bytes(Buffer.from(nameKey(textOf(name))));
    if (writePlainFileDigest(method, hash, digestScratch)) {
      rows.bytes(digestScratch);
      return;
    }
    const digest = fileDigest(textOf(method), textOf(hash));
    if (digest === undefined) rows.null();
    else rows.bytes(digest);
  }
}

/** Indexes of the texts from which keys are made. */
const keyed = (["name", "method", "hash"] as const).map((field) => detailFields.indexOf(field));
const nameScratch = Buffer.alloc(longestPlainName);
const digestScratch = Buffer.alloc(digestBytes);

/** Most texts are ASCII, which takes a third of the time. */
function textOf(text: Uint8Array): string {
  return isText(text) ? bufferOf(text).toString(isAscii(text) ? "latin1" : "utf8") : readText(text).text;
}

/** Whether a text column can hold these bytes exactly. */
function isText(text: Uint8Array): boolean {
  if (text.length <= shortText && isPlain(text)) return true;
  return (isAscii(text) || isUtf8(text)) && text.indexOf(0) < 0;
}

/** Bytes up to which a loop is faster than a native call. */
const shortText = 128;

/** Whether all bytes are ASCII and none is zero. */
function isPlain(text: Uint8Array): boolean {
  // After subtracting one, zero is negative and non-ASCII is above 126.
  let all = 0;
  for (let index = 0; index < text.length; index += 1) all |= (text[index] as number) - 1;
  return all >= 0 && all < 127;
}

/** A view of the bytes, not a copy. */
const bufferOf = (bytes: Uint8Array): Buffer =>
  Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
