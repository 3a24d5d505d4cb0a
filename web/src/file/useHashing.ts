import type { HashedFile, HashMethod } from "asset-registry-proof";
import { useCallback, useEffect, useRef, useState } from "react";
import { FileError, type FileProblem } from "./file-problem.ts";
import { hashInWorker } from "./hash-in-worker.ts";

/** How far the hashing of a file is; `bytes` are those read so far. */
export type Hashing =
  | { state: "reading"; file: File; bytes: number }
  | { state: "done"; file: File; hashed: HashedFile }
  | { state: "failed"; file: File; problem: FileProblem };

/** Hashes one file at a time; another file, `clear` and the end of the page cancel it. */
export function useHashing() {
  const [hashing, setHashing] = useState<Hashing>();
  const control = useRef<AbortController>(undefined);

  const clear = useCallback(() => {
    control.current?.abort();
    setHashing(undefined);
  }, []);
  useEffect(() => () => control.current?.abort(), []);

  const hash = useCallback(async (file: File, methods: readonly HashMethod[]) => {
    control.current?.abort();
    control.current = new AbortController();
    const { signal } = control.current;
    const set = (next: Hashing) => !signal.aborted && setHashing(next);
    set({ state: "reading", file, bytes: 0 });
    try {
      const onProgress = (bytes: number) => set({ state: "reading", file, bytes });
      set({ state: "done", file, hashed: await hashInWorker(file, methods, { onProgress, signal }) });
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof FileError)) throw error;
      set({ state: "failed", file, problem: error.problem });
    }
  }, []);

  return { hashing, hash, clear };
}
