import { decodeRlp, encodeRlp, toBeHex } from "ethers";
import type { Proof } from "../../../proof/src/proof.ts";
import type { Random } from "../../simulation/random.ts";
import { assetWord, linkWord } from "../../support/proof/world.ts";
import type { Forgery } from "./forge-nodes.ts";
import { leafOf, replaceValue } from "./leaf.ts";
import { replaceBytes } from "./replace-bytes.ts";

const timesOf = ({ block: { timestamp } }: Proof) => [
  ...[0, 1, timestamp - 1, timestamp, timestamp + 1, 2 ** 48 - 1],
];

/** A word in RLP, in its one form or in another. */
function encodeWord(word: bigint, random: Random): string {
  const hex = word === 0n ? "0x" : toBeHex(word);
  const padded = toBeHex(word, 32);
  if (random.chance(0.6)) return encodeRlp(hex);
  return random.pick([
    ...[encodeRlp(padded), encodeRlp([hex]), encodeRlp(`${padded}00`), `0xb820${padded.slice(2)}`],
    ...[hex, padded, `${encodeRlp(hex)}00`, "0x80", "0xc0", "0x00", "0x05", "0x8105"],
  ]);
}

const forgeAsset: Forgery = (proof, random) => {
  const author = random.pick(["0x0", "0x1", `0x${"ff".repeat(20)}`, ...Array(3).fill(proof.asset.author)]);
  const cancelledOn = random.chance(0.7) ? 0 : random.pick(timesOf(proof));
  const word = assetWord(author, random.pick(timesOf(proof)), cancelledOn);
  replaceValue(proof, proof.assetSlot.proof, encodeWord(word, random));
};

const forgeLink: Forgery = (proof, random) => {
  if (proof.links.length === 0) return;
  const word = linkWord(random.pick(timesOf(proof)), random.pick([0, ...timesOf(proof)]));
  const beyond = random.chance(0.8) ? 0n : random.pick([1n << 96n, 1n << 255n]);
  replaceValue(proof, random.pick(proof.links).proof, encodeWord(word | beyond, random));
};

const forgeAccount: Forgery = (proof, random) => {
  const nodes = proof.account.proof;
  const leaf = leafOf(nodes);
  if (typeof leaf?.value !== "string") return;
  const fields = [decodeRlp(leaf.value)].flat();
  const odd = random.pick([
    "0x",
    "0x00",
    "0x0001",
    `0x${"11".repeat(32)}`,
    `0x${"22".repeat(31)}`,
    [],
    ["0x"],
  ]);
  const place = random.pick([0, 1, 2, 2, 3, 3]);
  const changed = random.pick([
    fields.with(place, odd),
    fields.toSpliced(place, 1),
    [...fields, odd],
    fields,
  ]);
  const written = encodeRlp(changed);
  const others = [`${written}00`, written.replace("0xf8", "0xf900"), encodeRlp(written)];
  replaceValue(proof, nodes, random.pick([written, written, written, ...others]));
};

/** Puts another number or time into the header and beside it, in its one form or in another. */
const forgeHeader: Forgery = (proof, random) => {
  const items = [decodeRlp(proof.block.header)].flat();
  const isNumber = random.chance(0.5);
  const value = random.pick([0, 1, proof.block.timestamp - 1, 2 ** 32, Number.MAX_SAFE_INTEGER]);
  const written = random.pick([value === 0 ? "0x" : toBeHex(value), toBeHex(value, 7), toBeHex(2n ** 53n)]);
  Object.assign(proof.block, { [isNumber ? "number" : "timestamp"]: value });
  replaceBytes(proof, proof.block.header, encodeRlp(items.with(isNumber ? 8 : 11, written)));
};

export const valueForgeries: Forgery[] = [
  ...[forgeAsset, forgeAsset, forgeLink, forgeLink, forgeAccount, forgeAccount, forgeHeader, forgeHeader],
];
