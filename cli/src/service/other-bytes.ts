import type { RegistryClient } from "asset-registry-client";
import type { HashMethod } from "asset-registry-proof";
import { usualMethod } from "../files/usual-method.ts";
import { variantsOf } from "../files/variants.ts";
import type { Io } from "../io.ts";
import { printable } from "../output/printable.ts";
import { findAssets } from "./find.ts";

/** Why a file that is not found may have been expected to be: the same text in other bytes is there. */
export async function hintOf(
  client: RegistryClient,
  file: string,
  [method = usualMethod, ...others]: readonly HashMethod[],
  io: Io,
): Promise<string | undefined> {
  for (const { words, digest } of await variantsOf(file, method)) {
    const [asset] = await findAssets(client, new Map([[method, digest]]), io.signal);
    if (asset === undefined) continue;
    return `The same text with ${words} is registered as ${printable(asset.id)}: that is another file, which some program made of this one or this one of it.`;
  }
  return others.length === 0 ? "It may be registered by another method: --method all tries them." : undefined;
}
