import type { HashedFile, HashMethod } from "asset-registry-proof";
import type { FileProblem } from "./file-problem.ts";

/** What a page tells the worker that hashes files; `job` names a file among those that are read at once. */
export type ToWorker =
  | { job: number; file: File; methods: readonly HashMethod[] }
  | { job: number; cancel: true };

/** What the worker answers. */
export type FromWorker =
  | { job: number; bytes: number }
  | { job: number; hashed: HashedFile }
  | { job: number; problem: FileProblem };
