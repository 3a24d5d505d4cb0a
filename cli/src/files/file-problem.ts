import { printable } from "../output/printable.ts";
import { Problem } from "../problem.ts";

/** An error of the file system in words. */
export function fileProblem(path: string, error: unknown): Problem {
  const { code, message } = error as NodeJS.ErrnoException;
  const name = printable(path);
  switch (code) {
    case "ENOENT":
    case "ENOTDIR":
      return new Problem("file-not-found", `There is no file ${name}.`);
    case "EISDIR":
      return new Problem("file-is-folder", `${name} is a folder: name a file.`);
    case "EACCES":
    case "EPERM":
      return new Problem("file-not-readable", `You may not read ${name}.`);
    default:
      return new Problem(
        "file-not-readable",
        `${name} cannot be read: ${printable(message ?? String(error))}.`,
      );
  }
}
