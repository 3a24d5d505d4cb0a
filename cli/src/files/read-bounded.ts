import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import type { Io } from "../io.ts";
import { printable } from "../output/printable.ts";
import { Problem } from "../problem.ts";
import { fileProblem } from "./file-problem.ts";
import { standardInput } from "./hash.ts";
import { readPieces } from "./pieces.ts";

/** Reads a small file whole, or standard input for `-`. @throws Problem where it is larger than `most` bytes */
export async function readBounded(path: string, most: number, io: Io): Promise<Buffer> {
  const name = path === standardInput ? "standard input" : path;
  try {
    if (path === standardInput) return await collect(io.stdin, name, most);
    await using handle = await open(path);
    return await collect(readPieces(handle), name, most);
  } catch (error) {
    throw error instanceof Problem ? error : fileProblem(name, error);
  }
}

/** Reads what an open file descriptor gives, such as a pipe. @throws Problem where that is more than `most` bytes */
export async function readDescriptor(descriptor: number, most: number): Promise<Buffer> {
  const name = `file descriptor ${descriptor}`;
  try {
    // Whoever opened it closes it.
    return await collect(createReadStream("", { fd: descriptor, autoClose: false }), name, most);
  } catch (error) {
    throw error instanceof Problem ? error : fileProblem(name, error);
  }
}

async function collect(source: AsyncIterable<Uint8Array>, name: string, most: number): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of source) {
    size += piece.length;
    if (size > most) throw new Problem("file-too-large", `${printable(name)} is larger than ${most} bytes.`);
    pieces.push(Buffer.from(piece));
  }
  return Buffer.concat(pieces);
}
