import { freeMemory, keccakModule } from "./keccak-code.ts";
import { load } from "./wasm.ts";

type Exports = {
  memory: { buffer: ArrayBuffer; grow(pages: number): number };
  hashTwo(first: number, second: number, ...rest: [number, number, number, number]): void;
};

const { memory, hashTwo } = load<Exports>(keccakModule());
const pageSize = 65_536;

/**
 * Keccak-256 of two messages at once, in WebAssembly. Messages and digests lie in one memory, so that a digest
 * can be written where a later message has it.
 */
export const keccak = {
  /** The memory; another one after `reserve`. From `free` on it is the caller's. */
  bytes: Buffer.from(memory.buffer),
  free: freeMemory,
  /** Writes the digests of the bytes from `first` and from `second` on. */
  hashTwo,
  /** Sees to a memory of at least so many bytes. */
  reserve(size: number): void {
    if (size <= this.bytes.length) return;
    memory.grow(Math.ceil((Math.max(size, 2 * this.bytes.length) - this.bytes.length) / pageSize));
    this.bytes = Buffer.from(memory.buffer);
  },
};
