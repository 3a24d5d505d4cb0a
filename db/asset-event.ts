import type { Hex } from "viem";
import { detailFields, mapDetails, type RawDetails } from "../domain/asset.ts";
import { writeHex } from "./bytes.ts";

/**
 * An asset in the bytes of the event that brought it. None of its parts is copied or made an object: a backfill reads
 * every asset, and what it makes of each has to be thrown away again.
 */
export type AssetEvent = {
  /** Holds the id from `id`, the author's 20 bytes from `author`, and the transaction's hash from `transaction`. */
  words: Uint8Array;
  id: number;
  author: number;
  transaction: number;
  /** The event's data stands in `words` from `data` on, where its salt is, until `end`. */
  data: number;
  end: number;
  /** Where each text begins and ends in `words`, in the order of `detailFields`. */
  texts: readonly number[];
  blockNumber: number;
  transactionIndex: number;
  logIndex: number;
  /** Holds `hashStruct(Asset)` from `hash`, once it has been computed. */
  hashes: Uint8Array;
  hash: number;
};

/** What an asset's id commits to. */
export type Content = { author: Hex; salt: Hex; details: RawDetails };

/** The same in the form of an event; its id and its place are left open. */
export function eventOf({ author, salt, details }: Content): AssetEvent {
  const parts = detailFields.map((field) => details[field]);
  const words = Buffer.concat([Buffer.alloc(5 * 32), ...parts]);
  writeHex(words, 32 + 12, author);
  writeHex(words, 4 * 32, salt);
  let end = 5 * 32;
  const texts = parts.flatMap(({ length }) => {
    end += length;
    return [end - length, end];
  });
  const place = { blockNumber: 0, transactionIndex: 0, logIndex: 0 };
  const places = { id: 0, author: 32 + 12, transaction: 64, hash: 96, data: 4 * 32, end };
  return { words, ...places, texts, ...place, hashes: words };
}

/** The texts of an asset, not copied. */
export function detailsIn({ words, texts }: Pick<AssetEvent, "words" | "texts">): RawDetails {
  return mapDetails((field) => {
    const at = 2 * detailFields.indexOf(field);
    return words.subarray(texts[at], texts[at + 1]);
  });
}
