import type { HashedFile, HashMethod } from "asset-registry-proof";
import { FileError } from "./file-problem.ts";
import type { FromWorker, ToWorker } from "./messages.ts";

type HashOptions = {
  /** Called some times a second with the bytes read so far. */
  onProgress?: (bytes: number) => void;
  /** Ends the reading; the promise rejects with its reason. */
  signal?: AbortSignal;
};

type Job = { onMessage(message: FromWorker): void; onFailure(): void };

const jobs = new Map<number, Job>();
let lastJob = 0;
let worker: Worker | undefined;

/** Loads the worker before it is needed, so that a page that is open can hash files without the service. */
export function prepareHashing(): void {
  worker ??= startWorker();
}

function startWorker(): Worker {
  const started = new Worker(new URL("./hash-worker.ts", import.meta.url), { type: "module" });
  started.onmessage = ({ data }: MessageEvent<FromWorker>) => jobs.get(data.job)?.onMessage(data);
  started.onerror = () => {
    worker = undefined;
    for (const { onFailure } of jobs.values()) onFailure();
  };
  return started;
}

/**
 * Hashes a file of any size by several methods in one pass, beside the page, with a small piece of it in memory.
 * @throws FileError
 */
export function hashInWorker(
  file: File,
  methods: readonly HashMethod[],
  { onProgress, signal }: HashOptions = {},
): Promise<HashedFile> {
  lastJob += 1;
  const job = lastJob;
  return new Promise<HashedFile>((resolve, reject) => {
    signal?.throwIfAborted();
    prepareHashing();
    const tell = (message: ToWorker) => worker?.postMessage(message);
    const cancel = () => {
      tell({ job, cancel: true });
      reject(signal?.reason);
    };
    signal?.addEventListener("abort", cancel, { once: true });
    jobs.set(job, {
      onMessage(message) {
        if ("bytes" in message) onProgress?.(message.bytes);
        else if ("hashed" in message) resolve(message.hashed);
        else reject(new FileError(message.problem));
      },
      onFailure: () => reject(new FileError("no-hashing")),
    });
    tell({ job, file, methods });
  }).finally(() => jobs.delete(job));
}
