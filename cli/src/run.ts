import { CommanderError } from "commander";
import { createProgram } from "./commands/program.ts";
import type { Io } from "./io.ts";
import { printable, printableJson } from "./output/printable.ts";
import { type ExitCode, exitCodes, misuse, Problem } from "./problem.ts";
import { serviceProblem } from "./service/failure.ts";

/** Runs the program with these arguments; nothing is thrown. @returns its exit code */
export async function run(args: readonly string[], io: Io): Promise<number> {
  let exitCode: ExitCode = exitCodes.done;
  const program = createProgram(io, (code) => {
    exitCode = code;
  });
  try {
    await program.parseAsync(args, { from: "user" });
    return exitCode;
  } catch (error) {
    // Its message or the help is printed already.
    if (!(error instanceof CommanderError)) return report(error, args, io);
    if (error.exitCode === 0) return exitCodes.done;
    if (error.code.startsWith("commander.help")) return exitCodes.usage;
    return inJson(misuse("usage", error.message.replace(/^error: /, "")), args, io);
  }
}

function report(error: unknown, args: readonly string[], io: Io): ExitCode {
  const problem = problemOf(error, io);
  io.stderr.write(`${problem.message}\n`);
  return inJson(problem, args, io);
}

function problemOf(error: unknown, io: Io): Problem {
  if (io.signal.aborted) return new Problem("stopped", "Stopped.");
  return error instanceof Problem ? error : (serviceProblem(error) ?? unexpected(error, io));
}

/** Whoever asked for JSON gets a value of it in any case. */
function inJson({ code, message, exitCode }: Problem, args: readonly string[], io: Io): ExitCode {
  if (args.includes("--json")) io.stdout.write(`${printableJson({ error: { code, message } }, 0)}\n`);
  return exitCode;
}

function unexpected(error: unknown, io: Io): Problem {
  if (io.env["ASSET_REGISTRY_DEBUG"] && error instanceof Error) io.stderr.write(`${error.stack}\n`);
  const message = printable(error instanceof Error ? error.message : String(error));
  return new Problem("unexpected", `Unexpected error: ${message} (ASSET_REGISTRY_DEBUG=1 shows where)`);
}
