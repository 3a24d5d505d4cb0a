/**
 * Why a file could not be hashed: it was written to meanwhile, is gone or may not be read, or the browser runs no code
 * that hashes.
 */
export type FileProblem = "changed" | "gone" | "unreadable" | "no-hashing";

/** A file that could not be hashed. */
export class FileError extends Error {
  override readonly name = "FileError";
  readonly problem: FileProblem;

  constructor(problem: FileProblem) {
    super(`The file could not be hashed: ${problem}.`);
    this.problem = problem;
  }
}

/** Names of errors of WebAssembly that a page's policy or the browser's settings forbid. */
const forbidden = new Set(["CompileError", "EvalError", "ReferenceError"]);

/** What an error on reading a file means. */
export function problemOf(error: unknown): FileProblem {
  const name = (error as { name?: unknown } | null)?.name;
  if (name === "NotFoundError") return "gone";
  // A file that was written to since it was chosen: a browser refuses to read it.
  if (name === "NotReadableError") return "changed";
  return forbidden.has(String(name)) ? "no-hashing" : "unreadable";
}
