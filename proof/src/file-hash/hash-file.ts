import { createHasher, type Hasher } from "./hasher.ts";
import type { HashMethod } from "./method-names.ts";

/** Bytes of a file, whole or in pieces of any size: what a browser's file input, a response or Node.js has. */
export type ByteSource = Blob | Uint8Array | ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>;

export type HashOptions = {
  /** Called after each piece with the bytes read so far. */
  onProgress?: (bytes: number) => void;
  /** Ends the reading; the promise rejects with its reason. */
  signal?: AbortSignal | undefined;
  /** Used instead of the package's own hashers, such as those of a platform that are faster. */
  createHasher?: (method: HashMethod) => Hasher | Promise<Hasher>;
};

/** Digests in lower-case hex by method, and the size of the file in bytes. */
export type HashedFile = { size: number; digests: ReadonlyMap<HashMethod, string> };

/**
 * Hashes a file of any size by several methods in one pass, with one piece of it in memory at a time. The bytes are
 * taken as they are: a source of texts, whose encoding nobody knows, is refused by a TypeError.
 */
export async function hashFile(
  source: ByteSource,
  methods: readonly HashMethod[],
  options: HashOptions = {},
): Promise<HashedFile> {
  const create = options.createHasher ?? createHasher;
  const hashers = await Promise.all(methods.map(async (method) => [method, await create(method)] as const));
  let size = 0;
  options.signal?.throwIfAborted();
  for await (const piece of piecesOf(source)) {
    options.signal?.throwIfAborted();
    if (!(piece instanceof Uint8Array)) throw new TypeError("The source must give bytes, not texts.");
    for (const [, hasher] of hashers) hasher.update(piece);
    size += piece.length;
    options.onProgress?.(size);
  }
  return { size, digests: new Map(hashers.map(([method, hasher]) => [method, hasher.digest()])) };
}

function piecesOf(source: ByteSource): AsyncIterable<unknown> | Iterable<unknown> {
  if (source instanceof Uint8Array) return [source];
  if (source instanceof Blob) return readAll(source.stream());
  // Not every browser's streams can be iterated.
  return source instanceof ReadableStream ? readAll(source) : source;
}

async function* readAll(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  let isDone = false;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      isDone = done;
      if (value === undefined) return;
      yield value;
    }
  } finally {
    if (!isDone) await reader.cancel().catch(() => {});
    reader.releaseLock();
  }
}
