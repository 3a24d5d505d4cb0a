import type { Proof } from "../../../proof/src/proof.ts";
import type { Random } from "../../simulation/random.ts";
import { forge } from "./forge.ts";
import { pickNodes, pickPlace } from "./places.ts";
import type { Scene } from "./scene.ts";

/** A document after a mutation; `isSame` where its meaning is the same by construction. */
export type Mutated = { document: string | Uint8Array; isSame: boolean };

type Mutation = (proof: Proof, random: Random, scene: Scene) => string | Uint8Array;

const donor = (random: Random, { proofs, foreign }: Scene) =>
  structuredClone(random.pick([...proofs, ...foreign]));

/** Changes of a document's members, each of which begins with a copy of its own. */
const ofMembers: Record<string, (proof: Proof, random: Random, scene: Scene) => unknown> = {
  "another part of another proof"(proof, random, scene) {
    const other = donor(random, scene);
    const parts = ["registry", "chainId", "block", "account", "asset", "assetSlot", "links"] as const;
    for (let count = random.whole(1, 4); count > 0; count -= 1) {
      const part = random.pick(parts);
      Object.assign(proof, { [part]: other[part] });
    }
  },
  "a value of another place"(proof, random, scene) {
    const { value } = pickPlace(random.chance(0.5) ? proof : donor(random, scene), random);
    const { holder, name } = pickPlace(proof, random);
    holder[name] = structuredClone(value);
  },
  "a value that no place has"(proof, random) {
    const { holder, name } = pickPlace(proof, random);
    const odd = [
      null,
      true,
      -1,
      0,
      1.5,
      2 ** 53,
      1e300,
      "",
      "0x",
      "0",
      "\0",
      "\ud800",
      [],
      {},
      [[]],
      "0x80",
      "0xc0",
    ];
    holder[name] = random.pick(odd);
  },
  "a member less"(proof, random) {
    const { holder, name } = pickPlace(proof, random);
    if (Array.isArray(holder)) holder.splice(Number(name), 1);
    else delete holder[name];
  },
  "a member more"(proof, random) {
    const { holder, name, value } = pickPlace(proof, random);
    if (Array.isArray(holder)) holder.splice(Number(name), 0, structuredClone(value));
    else
      holder[random.pick(["note", "__proto__", "constructor", "value", `${name} `])] = structuredClone(value);
  },
  "another digit"(proof, random) {
    const { holder, name, value } = pickPlace(proof, random);
    if (typeof value === "number") holder[name] = value + random.whole(-2, 2);
    if (typeof value !== "string" || value === "") return;
    const at = random.whole(0, value.length - 1);
    holder[name] =
      value.slice(0, at) + random.pick([..."0123456789abcdefABCDEFxX \u00e9"]) + value.slice(at + 1);
  },
  "another form of a text"(proof, random) {
    const { holder, name, value } = pickPlace(proof, random);
    if (typeof value !== "string") return;
    const forms = [
      value.toUpperCase(),
      value.toLowerCase(),
      value.normalize("NFD"),
      ` ${value}`,
      `${value}\0`,
      value.trim(),
    ];
    holder[name] = random.pick([...forms, value.replace(/^0x/, ""), `${value}00`, value.slice(0, -2)]);
  },
  "nodes in another order"(proof, random) {
    const nodes = pickNodes(proof, random);
    nodes.splice(random.whole(0, nodes.length), 0, ...nodes.splice(random.whole(0, nodes.length - 1), 1));
  },
  "a node less"(proof, random) {
    const nodes = pickNodes(proof, random);
    nodes.splice(random.whole(0, nodes.length - 1), random.whole(1, 3));
  },
  "a node more"(proof, random, scene) {
    const nodes = pickNodes(proof, random);
    nodes.splice(
      random.whole(0, nodes.length),
      0,
      random.pick(["0x80", "0xc0", ...pickNodes(donor(random, scene), random)]),
    );
  },
  "nodes of another proof"(proof, random, scene) {
    const nodes = pickNodes(proof, random);
    nodes.splice(0, nodes.length, ...pickNodes(random.chance(0.5) ? proof : donor(random, scene), random));
  },
  "another byte of a node"(proof, random) {
    const nodes = pickNodes(proof, random);
    const index = random.whole(0, nodes.length - 1);
    const bytes = Buffer.from((nodes[index] ?? "0x").slice(2), "hex");
    if (bytes.length > 0) bytes[random.whole(0, bytes.length - 1)] = random.whole(0, 255);
    nodes[index] = `0x${bytes.toString("hex")}`;
  },
  "another byte of the header"(proof, random) {
    const bytes = Buffer.from(proof.block.header.slice(2), "hex");
    bytes[random.whole(0, bytes.length - 1)] = random.whole(0, 255);
    proof.block.header = `0x${bytes.toString("hex")}`;
  },
  "another claim for a proven link"(proof, random) {
    for (const link of proof.links)
      link.child = random.pick([proof.asset.id, ...proof.links.map(({ child }) => child)]);
  },
  "a forgery with hashes that fit": (proof, random, scene) => forge(proof, random, scene.truth.block.hash),
};

/** Changes of a document's text. */
const ofText: Record<string, Mutation> = {
  "another bit"(proof, random) {
    const bytes = Buffer.from(JSON.stringify(proof));
    const at = random.whole(0, bytes.length - 1);
    bytes[at] = (bytes[at] ?? 0) ^ (1 << random.whole(0, 7));
    return bytes;
  },
  "a part less": (proof, random) => {
    const text = JSON.stringify(proof);
    const at = random.whole(0, text.length);
    return text.slice(0, at) + text.slice(random.chance(0.3) ? text.length : at + random.whole(1, 40));
  },
  "a part twice"(proof, random) {
    const text = JSON.stringify(proof);
    const [from, to] = [random.whole(0, text.length), random.whole(0, text.length)];
    return text.slice(0, Math.max(from, to)) + text.slice(Math.min(from, to));
  },
  "a character more"(proof, random) {
    const text = JSON.stringify(proof);
    const at = random.whole(0, text.length);
    return text.slice(0, at) + random.pick([...'{}[]",:\\ \n\0-.e0tnu\ufeff\ud800']) + text.slice(at);
  },
  "a proof of something else": (_proof, random, scene) => JSON.stringify(donor(random, scene)),
  "a member twice"(proof, random, scene) {
    const members = Object.entries(proof).map((entry) => entry.map((part) => JSON.stringify(part)).join(":"));
    const [name, value] = random.pick(Object.entries(random.chance(0.5) ? proof : donor(random, scene)));
    members.splice(random.whole(0, members.length), 0, `${JSON.stringify(name)}:${JSON.stringify(value)}`);
    return `{${members.join(",")}}`;
  },
  nesting: (proof, random) =>
    random.pick([(text: string) => `{"value":${text}}`, (text: string) => `[${text}]`])(
      JSON.stringify({ value: proof, meta: [[[[[[[random.whole(0, 9)]]]]]]] }),
    ),
};

/** Both halves of a character, where it has two: a text with one half of it in bytes cannot be sent. */
const escaped = (character: string) =>
  character
    .split("")
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("");

/** Other texts of the same meaning. */
const ofSpelling: Record<string, Mutation> = {
  spaces: (proof, random) => JSON.stringify(proof, null, random.pick(["\t", " ", "\n"])),
  "members in another order": (proof, random) =>
    JSON.stringify(Object.fromEntries(Object.entries(proof).sort(() => (random.chance(0.5) ? 1 : -1)))),
  escapes: (proof, random) =>
    JSON.stringify(proof).replace(/(?<!\\)[g-z](?!\d)|\P{ASCII}/gu, (character) =>
      random.chance(0.2) ? escaped(character) : character,
    ),
  "an envelope": (proof) => JSON.stringify({ meta: { page: 1.5 }, value: proof }),
  "other words that nothing reads": (proof, random) =>
    JSON.stringify({
      ...proof,
      explanation: random.bytes(9).toString("latin1"),
      event: { ...proof.event, logIndex: random.whole(0, 2 ** 40) },
    }),
  "addresses in lower case": (proof) =>
    JSON.stringify({
      ...proof,
      registry: proof.registry.toLowerCase(),
      asset: { ...proof.asset, author: proof.asset.author.toLowerCase() },
    }),
  "links in another order": (proof) => JSON.stringify({ ...proof, links: [...proof.links].reverse() }),
};

export const mutationNames = [...Object.keys(ofMembers), ...Object.keys(ofText), ...Object.keys(ofSpelling)];

/** Mutates a proof of the trusted block. */
export function mutate(name: string, random: Random, scene: Scene): Mutated {
  const proof = structuredClone(random.pick(scene.proofs));
  const change = ofMembers[name];
  if (change !== undefined) {
    for (let count = random.chance(0.8) ? 1 : random.whole(2, 4); count > 0; count -= 1)
      change(proof, random, scene);
    return { document: JSON.stringify(proof), isSame: false };
  }
  const rewrite = ofText[name] ?? ofSpelling[name];
  return { document: rewrite?.(proof, random, scene) ?? "", isSame: name in ofSpelling };
}
