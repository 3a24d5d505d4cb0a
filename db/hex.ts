import { hexModule, stride } from "./hex-code.ts";
import { load } from "./wasm.ts";

type Exports = {
  memory: { buffer: ArrayBuffer };
  readHex(from: number, until: number, to: number): number;
};

const { memory, readHex } = load<Exports>(hexModule());
/** Digits that are read at a stretch; their bytes come after them. */
const piece = 32 * 1024;
const digits = new Uint8Array(memory.buffer, 0, piece);
const bytes = new Uint8Array(memory.buffer, piece, piece / 2);
const zero = 0x30;

/**
 * Writes into `target` the bytes of the hex digits, of either case, from `start` to `end` of `source`. Nine tenths
 * of what a node answers to a backfill are such digits: a text of them takes several times as long to make and
 * to read, and has to be thrown away.
 * @returns whether all were digits, two for each byte; where not, `target` holds nonsense from `at` on
 */
export function decodeHex(
  source: Uint8Array,
  [start, end]: readonly [start: number, end: number],
  target: Uint8Array,
  at: number,
): boolean {
  if ((end - start) % 2 !== 0) return false;
  for (let from = start; from < end; from += piece) {
    const length = Math.min(piece, end - from);
    digits.set(source.subarray(from, from + length));
    const padded = Math.ceil(length / stride) * stride;
    digits.fill(zero, length, padded);
    if (readHex(0, padded, piece) === 0) return false;
    target.set(bytes.subarray(0, length / 2), at + (from - start) / 2);
  }
  return true;
}
