import type { Log } from "./logs.ts";
import { ScannedLog } from "./scanned-log.ts";

/** Memory for the bytes of answers, used again: the system has to clear new memory, and JavaScript to count it. */
const spare: Buffer[] = [];
const [mostSpare, smallestSpare, largestSpare] = [8, 64 * 1024, 16 * 1024 * 1024];

/** @returns memory for so many bytes, or more */
export function takeMemory(size: number): Buffer {
  if (size < smallestSpare) return Buffer.allocUnsafeSlow(size);
  const fitting = spare.findIndex(({ length }) => length >= size);
  if (fitting >= 0) return spare.splice(fitting, 1)[0] as Buffer;
  // One that is too small would never be taken again.
  spare.shift();
  return Buffer.allocUnsafeSlow(size);
}

/** Gives back the memory of logs that nobody will read any more, nor any bytes of theirs. */
export function forgetLogs(logs: readonly Log[]): void {
  const memory = new Set<Buffer>();
  for (const log of logs) if (log instanceof ScannedLog) memory.add(log.words);
  for (const one of memory) {
    const fits = one.length >= smallestSpare && one.length <= largestSpare;
    if (fits && spare.length < mostSpare) spare.push(one);
  }
}
