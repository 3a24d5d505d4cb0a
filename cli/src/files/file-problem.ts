import { printable } from "../output/printable.ts";
import { Problem } from "../problem.ts";

/** An error of the file system in words. */
export function fileProblem(path: string, error: unknown, done: "read" | "written" = "read"): Problem {
  const { code = "", message } = error as NodeJS.ErrnoException;
  const name = printable(path);
  if (code === "EISDIR") return new Problem("file-is-folder", `${name} is a folder: name a file.`);
  if (code === "ENOENT" || code === "ENOTDIR") {
    const text = done === "read" ? `There is no file ${name}.` : `There is no folder for ${name}.`;
    return new Problem("file-not-found", text);
  }
  const why = ["EACCES", "EPERM"].includes(code) ? "you may not" : printable(message ?? String(error));
  return new Problem(
    done === "read" ? "file-not-readable" : "file-not-writable",
    `${name} cannot be ${done}: ${why}.`,
  );
}
