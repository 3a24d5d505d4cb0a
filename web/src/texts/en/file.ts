import type { FileProblem } from "../../file/file-problem.ts";

export const file = {
  choose: "Choose a file",
  chooseSeveral: "Choose files",
  folder: "That is a folder, which has no hash. Drop a file.",
  noFile: "There was no file in what you dropped.",
  tooMany: (most: number) =>
    most === 1 ? "Drop one file at a time." : `Drop at most ${most} files at a time.`,
  hashing: "Hashing",
  read: (done: string, all: string) => `${done} of ${all}`,
  cancel: "Cancel",
  problems: {
    changed:
      "The file was changed while it was read, so its hash means nothing. Choose it again when nothing writes to it.",
    gone: "The file is no longer there. It may have been moved or removed: choose it again.",
    unreadable:
      "The browser cannot read this file. If it is a folder, choose a file in it; else check that you may read it.",
    "no-hashing":
      "This browser does not let the page compute hashes. Allow WebAssembly and workers for this site, or use another browser.",
  } satisfies Record<FileProblem, string>,
};
