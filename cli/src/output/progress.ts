import type { Output } from "../io.ts";
import { sizeInWords } from "./size.ts";

/** Milliseconds before the first line, so that small files show none, and between two of them. */
const interval = 500;

export type Progress = { update(bytes: number): void; end(): void };

/** A line that says how far a file is read, where somebody looks at a terminal. */
export function createProgress(output: Output, name: string, total: number | undefined): Progress {
  if (output.isTTY !== true) return { update: () => {}, end: () => {} };
  const since = performance.now();
  let shownAt = since;
  return {
    update(bytes) {
      const now = performance.now();
      if (now - shownAt < interval) return;
      shownAt = now;
      const speed = `${sizeInWords(Math.round((bytes * 1000) / (now - since)))}/s`;
      const share = total ? ` of ${sizeInWords(total)} (${Math.floor((100 * bytes) / total)} %)` : "";
      output.write(`\r\u001b[K${name}: ${sizeInWords(bytes)}${share}, ${speed}`);
    },
    end() {
      if (shownAt !== since) output.write("\r\u001b[K");
    },
  };
}
