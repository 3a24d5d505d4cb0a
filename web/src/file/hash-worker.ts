import { hashFile } from "asset-registry-proof";
import { problemOf } from "./file-problem.ts";
import type { FromWorker, ToWorker } from "./messages.ts";

/** Milliseconds between two words of progress. */
const PAUSE = 100;

const running = new Map<number, AbortController>();
const tell = (message: FromWorker) => postMessage(message);

addEventListener("message", ({ data }: MessageEvent<ToWorker>) => {
  if ("cancel" in data) running.get(data.job)?.abort();
  else void run(data);
});

async function run({ job, file, methods }: Extract<ToWorker, { file: File }>): Promise<void> {
  const { signal } = addJob(job);
  let told = performance.now();
  try {
    const hashed = await hashFile(file, methods, {
      signal,
      onProgress(bytes) {
        const now = performance.now();
        if (now - told < PAUSE) return;
        told = now;
        tell({ job, bytes });
      },
    });
    await readAgain(file);
    // The digest of a file that is written to meanwhile is that of no state of it.
    tell(hashed.size === file.size ? { job, hashed } : { job, problem: "changed" });
  } catch (error) {
    if (!signal.aborted) tell({ job, problem: problemOf(error) });
  } finally {
    running.delete(job);
  }
}

function addJob(job: number): AbortController {
  const control = new AbortController();
  running.set(job, control);
  return control;
}

/** Opens a file once more, since a browser looks only then whether it is still the one that was chosen. */
async function readAgain(file: File): Promise<void> {
  await file.slice(-1).arrayBuffer();
}
