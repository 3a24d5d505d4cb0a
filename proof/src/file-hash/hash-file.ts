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
  let rested = performance.now();
  options.signal?.throwIfAborted();
  for await (const piece of piecesOf(source)) {
    options.signal?.throwIfAborted();
    if (!(piece instanceof Uint8Array)) throw new TypeError("The source must give bytes, not texts.");
    for (const [, hasher] of hashers) hasher.update(piece);
    size += piece.length;
    options.onProgress?.(size);
    if (performance.now() - rested < longestRun) continue;
    await letOthersRun();
    rested = performance.now();
  }
  return { size, digests: new Map(hashers.map(([method, hasher]) => [method, hasher.digest()])) };
}

/** Milliseconds after which whatever else waits may run: a source that always has bytes would let nobody cancel. */
const longestRun = 100;

const letOthersRun = () => new Promise<void>((resolve) => setTimeout(resolve));

function piecesOf(source: ByteSource): AsyncIterable<unknown> | Iterable<unknown> {
  if (source instanceof Uint8Array) return [source];
  if (source instanceof Blob) return readBlob(source);
  // Not every browser's streams can be iterated.
  return source instanceof ReadableStream ? readAll(source) : source;
}

/** Bytes that are read of a blob at once: few calls, and small enough for a processor's cache. */
const pieceBytes = 1024 * 1024;

/**
 * The bytes of a blob in order. Each piece is read into the same memory and holds until the next one is asked for: what a
 * stream allocates for each by itself stays until garbage is collected, hundreds of megabytes in some browsers.
 */
async function* readBlob(blob: Blob): AsyncGenerator<Uint8Array> {
  const stream = blob.stream();
  const reader = byobReader(stream);
  if (reader === undefined) return yield* readAll(stream);
  let memory = new ArrayBuffer(pieceBytes);
  let isDone = false;
  try {
    for (;;) {
      const { done, value } = await reader.read(new Uint8Array(memory));
      isDone = done;
      if (done) return;
      yield value;
      memory = value.buffer;
    }
  } finally {
    if (!isDone) await reader.cancel().catch(() => {});
    reader.releaseLock();
  }
}

/** A reader into memory of one's own; undefined in browsers whose blobs have none. */
function byobReader(stream: ReadableStream<Uint8Array>): ReadableStreamBYOBReader | undefined {
  try {
    return stream.getReader({ mode: "byob" });
  } catch {
    return undefined;
  }
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
