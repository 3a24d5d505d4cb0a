import type { FileHandle } from "node:fs/promises";

/** Bytes that are read at once: large enough that calls cost nothing, small enough for a processor's cache. */
const pieceBytes = 1024 * 1024;

/**
 * The bytes of a file in order, in two buffers: while the caller works on one, the other is filled. A piece holds until
 * the next one is asked for.
 */
export async function* readPieces(handle: FileHandle): AsyncGenerator<Uint8Array> {
  let [filling, spare] = [Buffer.allocUnsafe(pieceBytes), Buffer.allocUnsafe(pieceBytes)];
  let reading = handle.read(filling, 0, pieceBytes, null);
  try {
    for (;;) {
      const { bytesRead } = await reading;
      if (bytesRead === 0) return;
      const filled = filling;
      [filling, spare] = [spare, filling];
      reading = handle.read(filling, 0, pieceBytes, null);
      yield filled.subarray(0, bytesRead);
    }
  } finally {
    // Nothing may close the file under a read, or change a buffer that is given back.
    await reading.catch(() => {});
  }
}
