import { type HashMethod, mostVariantBytes, textVariants } from "asset-registry-proof";
import { hashInWorker } from "../../file/hash-in-worker.ts";

/** What was found of a text in other bytes: in words what differs, and what was looked for. */
type OtherBytes<Found> = { words: string; found: Found };

/** The first variant of a text file whose digest somebody knows; null where there is none. */
export async function findOtherBytes<Found>(
  file: File,
  method: HashMethod,
  look: (digest: string) => Promise<Found | undefined> | Found | undefined,
  signal: AbortSignal,
): Promise<OtherBytes<Found> | null> {
  if (file.size > mostVariantBytes) return null;
  const text = new Uint8Array(await file.arrayBuffer());
  for (const { words, bytes } of textVariants(text)) {
    const variant = new File([bytes as Uint8Array<ArrayBuffer>], "");
    const { digests } = await hashInWorker(variant, [method], { signal });
    const found = await look(digests.get(method) ?? "");
    if (found !== undefined) return { words, found };
  }
  return null;
}

/** Tells a file apart from others in the key of a query. */
export const fileKey = ({ name, size, lastModified }: File) => [name, size, lastModified];
