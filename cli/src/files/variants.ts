import { open } from "node:fs/promises";
import type { HashMethod } from "asset-registry-proof";
import { fastHasher } from "./digest.ts";
import { standardInput } from "./hash.ts";

/** Most bytes of a file whose other forms are tried: texts are small. */
const mostBytes = 16 * 1024 * 1024;

/** The same text in other bytes, and its digest. */
export type Variant = { words: string; digest: string };

const mark = Buffer.from([0xef, 0xbb, 0xbf]);

/**
 * Digests of a text file as other programs would have written it: with other line ends, with a byte order mark or
 * without one. They explain why a file does not match, and never make it match.
 */
export async function variantsOf(path: string, method: HashMethod): Promise<Variant[]> {
  // Standard input was read before.
  const bytes = path === standardInput ? undefined : await readText(path);
  if (bytes === undefined) return [];
  const hasMark = bytes.subarray(0, mark.length).equals(mark);
  const text = (hasMark ? bytes.subarray(mark.length) : bytes).toString("latin1");
  const lines = text.replaceAll("\r\n", "\n");
  const bodies = new Map([[text, "the same line ends"]]);
  for (const [body, ends] of [
    [lines, "LF line ends"],
    [lines.replaceAll("\n", "\r\n"), "CRLF line ends"],
  ] as const) {
    if (!bodies.has(body)) bodies.set(body, ends);
  }
  const variants: Variant[] = [];
  for (const [body, ends] of bodies) {
    for (const withMark of [hasMark, !hasMark]) {
      if (body === text && withMark === hasMark) continue;
      const words = `${ends} and ${withMark ? "a" : "no"} byte order mark`;
      variants.push({ words, digest: await digestOf(method, withMark, Buffer.from(body, "latin1")) });
    }
  }
  return variants;
}

async function digestOf(method: HashMethod, withMark: boolean, body: Buffer): Promise<string> {
  const hasher = await fastHasher(method);
  if (withMark) hasher.update(mark);
  hasher.update(body);
  return hasher.digest();
}

/** @returns undefined where it is large or no text: a zero byte is in no text of a usual encoding but UTF-16 */
async function readText(path: string): Promise<Buffer | undefined> {
  try {
    await using handle = await open(path);
    const { size } = await handle.stat();
    if (size === 0 || size > mostBytes) return undefined;
    const bytes = await handle.readFile();
    return bytes.includes(0) ? undefined : bytes;
  } catch {
    return undefined; // it was read before: nothing is explained then
  }
}
