import { concat, keccak256, numberWord } from "../bytes/bytes.ts";

/** Storage slots of the registry's mappings; a test compares them with what the compiler says. */
export const storageSlots = { assets: 4, links: 5 } as const;

/** Slot of an entry of a mapping that stands at a slot. */
const entry = (key: Uint8Array, slot: Uint8Array) => keccak256(concat(key, slot));

/** Slot of `_assets[id]`. */
export const assetSlot = (id: Uint8Array): Uint8Array => entry(id, numberWord(storageSlots.assets));

/** Slot of `_links[parent][child]`. */
export const linkSlot = (parent: Uint8Array, child: Uint8Array): Uint8Array =>
  entry(child, entry(parent, numberWord(storageSlots.links)));
