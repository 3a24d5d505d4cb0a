import type { ExitCode } from "../problem.ts";

/** Takes the exit code of the command that was run. */
export type End = (code: ExitCode) => void;
