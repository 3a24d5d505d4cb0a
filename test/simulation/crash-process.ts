import { type Program, runNode } from "../support/program.ts";

export type KilledProcess = ReturnType<typeof killedProcess>;

type Options = {
  /** The program's file, and its environment besides PATH and where compiled files are kept. */
  file: string;
  environment: Record<string, string>;
  /** Waits until it has done some of its work. */
  working: (program: Program) => Promise<unknown>;
};

/** A process of the service that is ended by kill -9 and started anew. */
export function killedProcess({ file, environment, working }: Options) {
  const { PATH = "", NODE_COMPILE_CACHE = "" } = process.env;
  const env = { PATH, NODE_COMPILE_CACHE, ...environment };
  let running: Program | undefined;
  let printed = "";
  const problems: string[] = [];

  return {
    /** Starts it to have its usage, and waits until it has ended. */
    help: () => runNode([file, "--help"], { env }).ended,
    start(): void {
      running = runNode([file], { env });
    },
    /** Ends it at once, wherever it is. */
    async kill(): Promise<void> {
      if (running === undefined) return;
      const { child, ended, output } = running;
      running = undefined;
      child.kill("SIGKILL");
      const { code, signal } = await ended;
      printed += output();
      if (signal !== "SIGKILL") problems.push(`${file} ended by itself, with ${code ?? signal}`);
    },
    async works(): Promise<void> {
      if (running !== undefined) await working(running);
    },
    /** What is wrong with how it ran. */
    problems: () => problems,
    /** Its newest warnings and errors. */
    trouble: () =>
      `${printed}${running?.output() ?? ""}`
        .split("\n")
        .filter((line) => line !== "" && !/^{"level":[123]0,/.test(line))
        .slice(-40),
  };
}
