import { ProofError } from "./document/error.ts";
import { readProof } from "./document/read.ts";
import { type ByteSource, type HashOptions, hashFile } from "./file-hash/hash-file.ts";
import { readStoredHash } from "./file-hash/methods.ts";
import type { Given } from "./given.ts";
import type { Result } from "./result/result.ts";
import { verifyDocument } from "./verify.ts";

/**
 * Verifies a proof document, and hashes a file of any size by the method that its asset names, to compare the two.
 * The file is not read where no method can be told.
 */
export async function verifyFile(
  document: string | Uint8Array,
  file: ByteSource,
  given: Omit<Given, "fileHash"> = {},
  options: HashOptions = {},
): Promise<Result> {
  return verifyDocument(document, { ...given, fileHash: await digestOf(document, file, options) });
}

/** Without a digest where nobody knows by which method: the check of the content then says why. */
async function digestOf(
  document: string | Uint8Array,
  file: ByteSource,
  options: HashOptions,
): Promise<{ method: string; digest: string }> {
  const stored = storedHash(document);
  if (typeof stored === "string") return { method: "", digest: "" };
  const { digests } = await hashFile(file, [stored.method], options);
  return { method: stored.method, digest: digests.get(stored.method) ?? "" };
}

function storedHash(document: string | Uint8Array): ReturnType<typeof readStoredHash> {
  try {
    return readStoredHash(readProof(document).asset);
  } catch (error) {
    if (error instanceof ProofError) return "no-hash";
    throw error;
  }
}
