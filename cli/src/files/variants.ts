import { open } from "node:fs/promises";
import { type HashMethod, mostVariantBytes, textVariants } from "asset-registry-proof";
import { fastHasher } from "./digest.ts";
import { standardInput } from "./hash.ts";

/** The same text in other bytes, and its digest. */
export type Variant = { words: string; digest: string };

/** Digests of a text file as other programs would have written it. */
export async function variantsOf(path: string, method: HashMethod): Promise<Variant[]> {
  // Standard input was read before.
  const text = path === standardInput ? undefined : await readSmall(path);
  const variants: Variant[] = [];
  for (const { words, bytes } of text === undefined ? [] : textVariants(text)) {
    const hasher = await fastHasher(method);
    hasher.update(bytes);
    variants.push({ words, digest: hasher.digest() });
  }
  return variants;
}

/** @returns undefined where it is too large to be a text */
async function readSmall(path: string): Promise<Buffer | undefined> {
  try {
    await using handle = await open(path);
    const { size } = await handle.stat();
    return size > mostVariantBytes ? undefined : await handle.readFile();
  } catch {
    return undefined; // it was read before: nothing is explained then
  }
}
