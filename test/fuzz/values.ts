import type { Random } from "../simulation/random.ts";
import { document } from "../support/contract.ts";

/** What a caller has come to know, and asks for again. */
export type Known = {
  assets: string[];
  transactions: string[];
  wallets: string[];
  cursors: string[];
  signed: string[];
  authors: string[];
  /** Fields of every asset that this caller asks for and that stays off the chain. */
  mark: Record<string, string>;
};

/** As much of JSON Schema as the document uses for what is sent. */
export type Schema = {
  $ref?: string;
  type?: string;
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  oneOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  format?: string;
};

const hex = (random: Random, bytes: number): string => `0x${random.bytes(bytes).toString("hex")}`;
const uuid = (random: Random): string =>
  random
    .bytes(16)
    .toString("hex")
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
const oneOf = (random: Random, items: readonly string[], other: () => string): string =>
  items.length > 0 && random.chance(0.9) ? random.pick(items) : other();

/** Values that are right for a name that the API uses. */
const byName: Record<string, (random: Random, known: Known) => unknown> = {
  assetId: (random, { assets }) => {
    const id = oneOf(random, assets, () => hex(random, 32));
    return random.chance(0.05) ? `0x${id.slice(2).toUpperCase()}` : id;
  },
  targetAssetIds: (random, { assets }) =>
    Array.from({ length: random.pick([1, 1, 2, 5]) }, () => oneOf(random, assets, () => hex(random, 32))),
  transactionId: (random, { transactions }) => oneOf(random, transactions, () => uuid(random)),
  walletId: (random, { wallets }) => oneOf(random, wallets, () => uuid(random)),
  cursor: (random, { cursors }) => oneOf(random, cursors, () => random.bytes(20).toString("base64url")),
  author: (random, { authors }) => oneOf(random, authors, () => hex(random, 20)),
  signedTransaction: (random, { signed }) =>
    oneOf(random, signed, () => hex(random, random.pick([1, 110, 300]))),
  transactionHash: (random) => hex(random, 32),
  signature: (random) => {
    const bytes = random.pick([1, 64, 65, 65, 200]);
    return random.chance(0.2) ? `0x${random.pick(["00", "ff"]).repeat(bytes)}` : hex(random, bytes);
  },
  hash: (random) =>
    random.pick([hex(random, 32).slice(2), hex(random, 32), random.bytes(32).toString("base64")]),
  method: (random) => random.pick(["SHA2-256", "sha256", "SHA-512", "keccak256", "md5"]),
  name: (random) => random.pick(["Lease", "Lease agreement", "Ünï côdé", "x".repeat(256), "a", "\u{1f600}"]),
  words: (random) => random.pick(["lease", "agreement lease", "x"]),
  fileSize: (random) => String(random.whole(0, 2 ** 31)),
  size: (random) => String(random.pick([1, 2, 50, 200])),
  page: (random) => String(random.pick([1, 2, 3, 50])),
};
const sameAs: Record<string, string> = {
  linkedTo: "assetId",
  linkedFrom: "assetId",
  signer: "author",
  signerAddress: "author",
  ethereumAddress: "author",
};

/** A value that the operation takes, by its name or else by its schema. */
export function goodValue(random: Random, name: string, given: Schema, known: Known): unknown {
  const schema = resolve(given);
  const named = byName[sameAs[name] ?? name];
  if (named !== undefined && schema.enum === undefined) return named(random, known);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return goodValue(random, name, random.pick(choices), known);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return random.pick(schema.enum);
  if (schema.properties !== undefined) {
    return Object.fromEntries(
      Object.entries(schema.properties)
        .filter(([key]) => schema.required?.includes(key) || random.chance(0.4))
        .map(([key, property]) => [key, goodValue(random, key, property, known)]),
    );
  }
  if (schema.type === "integer" || schema.type === "number") {
    return random.whole(schema.minimum ?? 0, Math.min(schema.maximum ?? 1_000, 1_000_000));
  }
  if (schema.type === "boolean") return random.chance(0.5);
  if (schema.format === "date-time") return new Date(random.whole(0, 4e9) * 1_000).toISOString();
  if (schema.type === "array") return [];
  if (schema.type === "object" || schema.type === undefined) return {};
  const text = random.pick(["a", "some text", '{"a":1}', "é\u{1f600}", "https://example.org/a"]);
  const longest = schema.maxLength ?? 100;
  return random.chance(0.05) ? "\u{1f600}".repeat(Math.min(longest, 10_000)) : text.slice(0, longest);
}

function resolve(schema: Schema): Schema {
  if (schema.$ref === undefined) return schema;
  const name = schema.$ref.split("/").at(-1) ?? "";
  return resolve((document.components.schemas as Record<string, Schema>)[name] ?? {});
}
