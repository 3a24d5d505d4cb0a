import type { Hex } from "viem";
import { type AssetDetails, type DetailField, detailFields, type RawDetails } from "../domain/asset.ts";
import { ASSET_TYPEHASH, domainSeparator, type Registry } from "../domain/typed-data.ts";
import { type AssetEvent, type Content, eventOf } from "./asset-event.ts";
import { writeHex } from "./bytes.ts";
import { keccak } from "./keccak.ts";

// A backfill checks every asset, and every answer with one says what its row hashes to. An asset takes ten
// hashes, which cost 100 µs in plain JavaScript and 4 here, where assets are hashed two by two.

/** Where the structs, the messages that ids are digests of, the ids and the texts of two assets lie. */
const structSize = 32 * (3 + detailFields.length);
const messageSize = 2 + 32 + 32;
const structs = [keccak.free, keccak.free + structSize] as const;
const messages = [structs[1] + structSize, structs[1] + structSize + messageSize] as const;
const ids = [messages[1] + messageSize, messages[1] + messageSize + 32] as const;
const texts = ids[1] + 32;

keccak.reserve(texts);
for (const struct of structs) writeHex(keccak.bytes, struct, ASSET_TYPEHASH);

/** Writes `hashStruct(Asset)` of two assets into their messages. */
function hashStructs(first: AssetEvent, second: AssetEvent): void {
  const [one, other] = [texts, texts + first.end - first.data];
  keccak.reserve(other + second.end - second.data);
  const { bytes } = keccak;
  bytes.set(first.words.subarray(first.data, first.end), one);
  bytes.set(second.words.subarray(second.data, second.end), other);
  writeAuthorAndSalt(structs[0], first);
  writeAuthorAndSalt(structs[1], second);
  for (let text = 0; text < 2 * detailFields.length; text += 2) {
    const [start, otherStart] = [first.texts[text] as number, second.texts[text] as number];
    const place = 32 * 3 + 16 * text;
    keccak.hashTwo(
      one - first.data + start,
      other - second.data + otherStart,
      (first.texts[text + 1] as number) - start,
      (second.texts[text + 1] as number) - otherStart,
      structs[0] + place,
      structs[1] + place,
    );
  }
  keccak.hashTwo(structs[0], structs[1], structSize, structSize, messages[0] + 34, messages[1] + 34);
}

function writeAuthorAndSalt(struct: number, { words, author, data }: AssetEvent): void {
  const { bytes } = keccak;
  for (let at = 0; at < 20; at += 1) bytes[struct + 32 + 12 + at] = words[author + at] as number;
  for (let at = 0; at < 32; at += 1) bytes[struct + 64 + at] = words[data + at] as number;
}

/** @returns how many bytes it has */
function writeText(at: number, text: Uint8Array | string): number {
  if (typeof text === "string") return keccak.bytes.write(text, at);
  keccak.bytes.set(text, at);
  return text.length;
}

const hashAt = (place: number): Hex => `0x${keccak.bytes.toString("hex", place, place + 32)}`;

/** `hashStruct(Asset)` of a single asset, as `hashAsset` of the domain computes it, of bytes or of texts. */
export function contentHash(author: Hex, salt: Hex, details: RawDetails | AssetDetails): Hex {
  let most = 0;
  // UTF-8 has at most three bytes for each unit of a text.
  for (const field of detailFields) most += 3 * details[field].length;
  keccak.reserve(texts + most);
  const { bytes } = keccak;
  const [struct, other] = structs;
  writeHex(bytes, struct + 32 + 12, author);
  writeHex(bytes, struct + 64, salt);
  for (let index = 0; index < detailFields.length; index += 2) {
    const length = writeText(texts, details[detailFields[index] as DetailField]);
    const next = writeText(texts + length, details[detailFields[index + 1] as DetailField]);
    const place = struct + 32 * (3 + index);
    keccak.hashTwo(texts, texts + length, length, next, place, place + 32);
  }
  bytes.copyWithin(other, struct, struct + structSize);
  keccak.hashTwo(struct, other, structSize, structSize, messages[0] + 34, messages[1] + 34);
  return hashAt(messages[0] + 34);
}

/** Keccak-256 of a message. */
export function keccakOf(message: Hex | Uint8Array): Hex {
  const size = typeof message === "string" ? (message.length - 2) >> 1 : message.length;
  keccak.reserve(texts + size);
  if (typeof message === "string") writeHex(keccak.bytes, texts, message);
  else keccak.bytes.set(message, texts);
  keccak.hashTwo(texts, texts, size, size, ids[0], ids[1]);
  return hashAt(ids[0]);
}

/** What assets hash to: their content, and with it their id, as `hashAsset` and `assetIdOf` of the domain say. */
export type AssetDigests = { contentHash: Hex; id: Hex };
export type Digests = (contents: readonly Content[]) => AssetDigests[];

/** Computes what ids commit to for one registry. */
export function createDigests(registry: Registry): Digests {
  const hashIds = createHashing(registry);
  return (contents) => {
    const digests: AssetDigests[] = [];
    hashIds(contents.map(eventOf), (_, lane) =>
      digests.push({ contentHash: hashAt((messages[lane] as number) + 34), id: hashAt(ids[lane] as number) }),
    );
    return digests;
  };
}

/** Writes what each of these assets hashes to, and answers which of them have the id that commits to it. */
export type IdChecks = (assets: readonly AssetEvent[]) => boolean[];

export function createIdChecks(registry: Registry): IdChecks {
  const hashIds = createHashing(registry);
  return (assets) => {
    const good: boolean[] = [];
    hashIds(assets, ({ words, id, hashes, hash }, lane) => {
      const { bytes } = keccak;
      const [content, digest] = [(messages[lane] as number) + 34, ids[lane] as number];
      let difference = 0;
      for (let at = 0; at < 32; at += 1) {
        hashes[hash + at] = bytes[content + at] as number;
        difference |= (bytes[digest + at] as number) ^ (words[id + at] as number);
      }
      good.push(difference === 0);
    });
    return good;
  };
}

type Lane = 0 | 1;

/** It takes as long as the hashes of a hundred assets, and is asked for again with each range of blocks. */
let separator: { of: Registry; is: Hex } | undefined;

function separatorOf(registry: Registry): Hex {
  const { chainId, address } = registry;
  if (separator?.of.chainId !== chainId || separator.of.address !== address) {
    separator = { of: { chainId, address }, is: domainSeparator(registry) };
  }
  return separator.is;
}

/** Hashes assets two by two, and hands out each while its digests lie in the memory. */
function createHashing(registry: Registry) {
  const begin = Buffer.alloc(2 + 32);
  writeHex(begin, 0, "0x1901");
  writeHex(begin, 2, separatorOf(registry));
  return (assets: readonly AssetEvent[], onHashed: (asset: AssetEvent, lane: Lane) => void): void => {
    for (const message of messages) keccak.bytes.set(begin, message);
    for (let index = 0; index < assets.length; index += 2) {
      const first = assets[index] as AssetEvent;
      const second = assets[index + 1];
      hashStructs(first, second ?? first);
      keccak.hashTwo(messages[0], messages[1], messageSize, messageSize, ids[0], ids[1]);
      onHashed(first, 0);
      if (second) onHashed(second, 1);
    }
  };
}
