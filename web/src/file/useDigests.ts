import type { HashMethod } from "asset-registry-proof";
import { useEffect, useState } from "react";
import type { Digests } from "./digests.ts";
import { FileError, type FileProblem } from "./file-problem.ts";
import { hashInWorker } from "./hash-in-worker.ts";

type Progress = { file: File; digests: Digests; bytes: number; problem?: FileProblem };

/** Digests of a file by the methods that are needed, of which each is computed once; `bytes` are those read so far. */
export function useDigests(file: File | undefined, needed: readonly HashMethod[] | undefined) {
  const [progress, setProgress] = useState<Progress>();
  const methods = needed?.join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is known already is no reason to begin anew
  useEffect(() => {
    if (file === undefined || needed === undefined) return;
    const known: Digests = progress?.file === file ? progress.digests : new Map();
    const missing = needed.filter((method) => !known.has(method));
    setProgress({ file, digests: known, bytes: 0 });
    if (missing.length === 0) return;
    const control = new AbortController();
    void read(file, missing, control.signal, (next) => {
      const digests = new Map([...known, ...(next.digests ?? [])]);
      if (!control.signal.aborted) setProgress({ file, bytes: 0, ...next, digests });
    });
    return () => control.abort();
  }, [file, methods]);

  const current = progress?.file === file ? progress : undefined;
  const isReady = current !== undefined && needed?.every((method) => current.digests.has(method)) === true;
  return {
    /** The digests once all that are needed are there. */
    digests: isReady ? current.digests : undefined,
    bytes: current?.bytes ?? 0,
    problem: current?.problem,
  };
}

async function read(
  file: File,
  methods: readonly HashMethod[],
  signal: AbortSignal,
  tell: (next: Partial<Progress>) => void,
): Promise<void> {
  try {
    const onProgress = (bytes: number) => tell({ bytes });
    tell({ digests: (await hashInWorker(file, methods, { onProgress, signal })).digests });
  } catch (error) {
    if (signal.aborted) return;
    tell({ problem: error instanceof FileError ? error.problem : "unreadable" });
  }
}
