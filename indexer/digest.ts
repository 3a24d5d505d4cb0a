import { createKeccak } from "hash-wasm";
import type { Hex } from "viem";
import { writeHex } from "../db/bytes.ts";
import { detailFields, type RawDetails } from "../domain/asset.ts";
import { ASSET_TYPEHASH, domainSeparator, type Registry } from "../domain/typed-data.ts";

// WebAssembly: an asset takes ten hashes, which cost 100 µs in plain JavaScript and 7 µs here, and a backfill
// checks every asset.
const keccak = await createKeccak(256);

function digest(bytes: Uint8Array): Uint8Array {
  return keccak.init().update(bytes).digest("binary");
}

/** Digests of short texts that come again and again: no text, types of files, names of methods. */
const known = new Map<string, Uint8Array>();
const shortText = 12;
const mostKnown = 1_000;

function digestText(bytes: Uint8Array): Uint8Array {
  if (bytes.length > shortText) return digest(bytes);
  let key = "";
  for (let place = 0; place < bytes.length; place += 1) key += String.fromCharCode(bytes[place] as number);
  const before = known.get(key);
  if (before) return before;
  const made = digest(bytes);
  if (known.size < mostKnown) known.set(key, made);
  return made;
}

export type Digests = {
  /** `hashStruct(Asset)`, as `hashAsset` of the domain computes it. */
  contentHash: (author: Hex, salt: Hex, details: RawDetails) => Hex;
  /** The id of the asset with this content hash, as `assetIdOf` computes it. */
  idOf: (contentHash: Hex) => Hex;
};

/** Computes what ids commit to for one registry, reusing all that stays the same from one asset to the next. */
export function createDigests(registry: Registry): Digests {
  const struct = Buffer.alloc(32 * (3 + detailFields.length));
  writeHex(struct, 0, ASSET_TYPEHASH);
  const message = Buffer.alloc(2 + 32 + 32);
  writeHex(message, 0, "0x1901");
  writeHex(message, 2, domainSeparator(registry));
  const result = Buffer.alloc(32);
  const asHex = (bytes: Uint8Array): Hex => {
    result.set(bytes);
    return `0x${result.toString("hex")}`;
  };

  return {
    contentHash(author, salt, details) {
      writeHex(struct, 32 + 12, author);
      writeHex(struct, 64, salt);
      let place = 96;
      for (const field of detailFields) {
        struct.set(digestText(details[field]), place);
        place += 32;
      }
      return asHex(digest(struct));
    },
    idOf(contentHash) {
      writeHex(message, 34, contentHash);
      return asHex(digest(message));
    },
  };
}
