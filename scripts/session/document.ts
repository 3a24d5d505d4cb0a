import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { basename, extname } from "node:path";
import { pipeline } from "node:stream/promises";

/** The file cannot be read; the message says why. */
export class DocumentError extends Error {
  override readonly name = "DocumentError";
}

/** Metadata of a file that the registry records; the file itself is not uploaded. */
export type Document = {
  fileName: string;
  fileType: string;
  fileSize: string;
  method: "SHA2-256";
  hash: string;
};

/** Reads a file of any size once, in pieces. @throws DocumentError */
export async function readDocument(path: string): Promise<Document> {
  try {
    const { size } = await stat(path);
    return {
      fileName: basename(path),
      fileType: extname(path).slice(1).toLowerCase() || "bin",
      fileSize: String(size),
      method: "SHA2-256",
      hash: await hashOf(createReadStream(path)),
    };
  } catch (error) {
    throw new DocumentError(`${path} cannot be read: ${error instanceof Error ? error.message : error}`);
  }
}

/** The hash of the same file with one more byte at its end. */
export async function hashOfChangedCopy(path: string): Promise<string> {
  return hashOf(createReadStream(path), Buffer.from("."));
}

async function hashOf(source: AsyncIterable<Buffer>, more?: Buffer): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(source, async (chunks: AsyncIterable<Buffer>) => {
    for await (const chunk of chunks) hash.update(chunk);
  });
  if (more) hash.update(more);
  return hash.digest("hex");
}
