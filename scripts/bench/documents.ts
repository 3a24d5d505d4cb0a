import type { AssetDetails } from "../../domain/asset/asset.ts";

/** A stream of numbers from 0 to 1 that is the same for the same seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const subjects = ["Lease", "Purchase contract", "Invoice", "Mietvertrag Größe 3", "Certificate", "契約書"];
const types = ["pdf", "docx", "xml", "png"];

/** A document as people register it: about 500 bytes of text, a few of them outside ASCII. */
export function document(random: () => number): AssetDetails {
  const pick = (from: readonly string[]) => from[Math.floor(random() * from.length)] ?? "";
  const digits = (count: number) =>
    Array.from({ length: count }, () => Math.floor(random() * 16).toString(16)).join("");
  const number = Math.floor(random() * 1_000_000);
  const type = pick(types);
  const data = {
    number,
    note: `Signed by both parties, version ${digits(8)}. `.repeat(1 + Math.floor(random() * 4)),
    tags: [type, "signed"],
  };
  return {
    name: `${pick(subjects)} ${number}`,
    data: JSON.stringify(data),
    fileName: `document-${number}.${type}`,
    fileType: type,
    fileSize: String(Math.floor(random() * 5_000_000)),
    method: "SHA2-256",
    hash: digits(64),
    uri: `https://files.example.org/registry/2026/${digits(24)}/document-${number}.${type}`,
  };
}
