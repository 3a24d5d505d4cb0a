import type { BigIntStats } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { type HashedFile, type HashMethod, hashFile } from "asset-registry-proof";
import type { Io } from "../io.ts";
import { printable } from "../output/printable.ts";
import { createProgress } from "../output/progress.ts";
import { Problem } from "../problem.ts";
import { fastHasher } from "./digest.ts";
import { fileProblem } from "./file-problem.ts";
import { readPieces } from "./pieces.ts";

/** The name by which standard input is meant. */
export const standardInput = "-";

/** Hashes a file, or standard input for `-`, by several methods in one pass. @throws Problem */
export async function hashPath(path: string, methods: readonly HashMethod[], io: Io): Promise<HashedFile> {
  const name = path === standardInput ? "standard input" : path;
  let handle: FileHandle | undefined;
  try {
    if (path === standardInput) return await hash(io.stdin, name, undefined, methods, io);
    handle = await open(path);
    const before = await handle.stat({ bigint: true });
    if (before.isDirectory())
      throw new Problem("file-is-folder", `${printable(path)} is a folder: name a file.`);
    const hashed = await hash(readPieces(handle), path, Number(before.size), methods, io);
    requireUnchanged(path, before, await handle.stat({ bigint: true }), hashed.size);
    return hashed;
  } catch (error) {
    if (error instanceof Problem || io.signal.aborted) throw error;
    throw fileProblem(name, error);
  } finally {
    await handle?.close();
  }
}

async function hash(
  source: AsyncIterable<Uint8Array>,
  name: string,
  total: number | undefined,
  methods: readonly HashMethod[],
  io: Io,
): Promise<HashedFile> {
  const progress = createProgress(io.stderr, printable(name), total);
  try {
    return await hashFile(source, methods, {
      createHasher: fastHasher,
      onProgress: progress.update,
      signal: io.signal,
    });
  } finally {
    progress.end();
  }
}

/** The digest of a file that is written to meanwhile is that of no state of it. */
function requireUnchanged(path: string, before: BigIntStats, after: BigIntStats, read: number): void {
  const isSame =
    !before.isFile() ||
    (before.size === after.size &&
      before.mtimeNs === after.mtimeNs &&
      // Files that a system makes up when they are read say that they are empty.
      (before.size === 0n || before.size === BigInt(read)));
  if (isSame) return;
  throw new Problem(
    "file-changed",
    `${printable(path)} was changed while it was read, so its hash means nothing: try again when nothing writes to it.`,
  );
}
