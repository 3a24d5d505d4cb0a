import { dataLength, decodeRlp, encodeRlp, keccak256, type RlpStructuredData } from "ethers";
import type { Proof } from "../../../proof/src/proof.ts";
import type { Random } from "../../simulation/random.ts";
import { leafOf, nodeListsOf, pathOf } from "./leaf.ts";
import { replaceBytes } from "./replace-bytes.ts";

/** Changes a proof in place, so that all hashes are right up to the block's, which its verifier then trusts. */
export type Forgery = (proof: Proof, random: Random) => void;

const oddItems: RlpStructuredData[] = [
  ...["0x", "0x00", "0x01", "0x80", "0x20", "0x3f", "0x0100", `0x${"11".repeat(31)}`],
  ...[`0x${"22".repeat(32)}`, `0x${"33".repeat(33)}`, "0x1fffffffffffff", "0x20000000000000"],
  ...["0x001fffffffffffff", [], [[]], ["0x"], ["0x20", "0x01"], ["0x20", `0x${"44".repeat(40)}`]],
];

const anyBytes = (proof: Proof, random: Random) =>
  random.pick([...nodeListsOf(proof).flat(), proof.block.header]);

const changeItem: Forgery = (proof, random) => {
  const bytes = anyBytes(proof, random);
  const items = [decodeRlp(bytes)].flat();
  const odd = random.pick(oddItems);
  // The header's state root, number and time, and the last item of a branch.
  const places = [random.whole(0, items.length - 1), 0, 1, 3, 8, 11, 16];
  const place = random.pick(places.filter((at) => at < items.length));
  const changed = random.pick([
    ...[items.with(place, odd), items.with(place, random.pick(items)), items.toSpliced(place, 0, odd)],
    ...[items.toSpliced(place, 1), items.slice(0, 12), [...items, "0x", "0x"]],
  ]);
  replaceBytes(proof, bytes, encodeRlp(changed));
};

/** Writes RLP in a form that is not the canonical one, or no RLP. */
const writeOtherwise: Forgery = (proof, random) => {
  const bytes = anyBytes(proof, random);
  const payload = bytes.slice({ f9: 8, f8: 6 }[bytes.slice(2, 4)] ?? 4);
  const length = (payload.length / 2).toString(16);
  const [two, three] = [length.padStart(4, "0"), length.padStart(6, "0")];
  const form = random.pick([
    ...[`0xf9${two}${payload}`, `0xfa${three}${payload}`, `0xb9${two}${payload}`, `0x${payload}`],
    ...[bytes.replace("a0", "b820"), bytes.replace("80", "b800"), bytes.replace("80", "c0")],
    ...[bytes.replace(/^(?:0x)(?:..)+?(?=0[1-9])/, "$&81"), `${bytes}00`, `${bytes}80`, bytes.slice(0, -2)],
  ]);
  replaceBytes(proof, bytes, form);
};

const changePath: Forgery = (proof, random) => {
  const leaf = leafOf(random.pick(nodeListsOf(proof)));
  if (leaf === undefined) return;
  const { node, nibbles, value } = leaf;
  const other = nibbles.replace(/.$/, (last) => (last === "0" ? "1" : "0"));
  const path = random.pick([
    ...[pathOf(nibbles.slice(1), 2), pathOf(`${nibbles}0`, 2), pathOf("", 2), pathOf(other, 2)],
    ...[pathOf(nibbles, 0), pathOf(other, 0), pathOf(nibbles.slice(1), 0), pathOf("", 0)],
    ...[pathOf(nibbles, 4), pathOf(nibbles, 6), pathOf(nibbles, 2).replace("0x20", "0x21"), "0x"],
  ]);
  replaceBytes(proof, node, encodeRlp([path, random.pick([value, value, "0x", [], `0x${"55".repeat(32)}`])]));
};

/** Puts a leaf below branches of one child, or below an extension, embedded where it is short. */
const deepen: Forgery = (proof, random) => {
  const leaf = leafOf(random.pick(nodeListsOf(proof)));
  if (leaf === undefined) return;
  const { node, nibbles, value } = leaf;
  const depths = [1, 2, nibbles.length - 2, nibbles.length, random.whole(1, nibbles.length)];
  const depth = random.pick(depths.filter((some) => some > 0));
  const isExtension = random.chance(0.5);
  const below: string[] = [];
  let top: RlpStructuredData[] = [pathOf(nibbles.slice(depth), 2), value];
  for (let step = isExtension ? 0 : depth - 1; step >= 0; step -= 1) {
    const bytes = encodeRlp(top);
    const isEmbedded = dataLength(bytes) < 32 !== random.chance(0.05);
    if (!isEmbedded) below.unshift(bytes);
    const reference = isEmbedded ? top : keccak256(bytes);
    const branch: RlpStructuredData[] = Array(16).fill("0x");
    branch[Number.parseInt(nibbles.charAt(step), 16)] = reference;
    branch.push(random.chance(0.03) ? "0x01" : "0x");
    top = isExtension ? [pathOf(nibbles.slice(0, depth), 0), reference] : branch;
  }
  const bytes = encodeRlp(top);
  replaceBytes(proof, node, bytes);
  for (const nodes of nodeListsOf(proof)) if (nodes.at(-1) === bytes) nodes.push(...below);
};

export const nodeForgeries: Forgery[] = [changeItem, changeItem, writeOtherwise, changePath, deepen, deepen];
