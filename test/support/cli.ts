import { run } from "../../cli/src/run.ts";

export type CliOptions = {
  stdin?: string | Uint8Array;
  env?: Record<string, string>;
  /** Whether standard output and error are terminals. */
  isTTY?: boolean;
  fetch?: typeof fetch;
  signal?: AbortSignal;
  /** Told all that is on standard output, whenever that grows. */
  onOutput?: (stdout: string) => void;
  /** Answers to what it asks, in order; left out where nobody sits there. */
  answers?: string[];
};

export type CliRun = { code: number; stdout: string; stderr: string; asked: string[] };

/** An environment in which no configuration of the machine counts. */
const nowhere = { XDG_CONFIG_HOME: "/nonexistent" };

const noFetch: typeof fetch = async () => {
  throw new Error("This test lets nobody ask the network.");
};

/** Runs the command line as a function, with streams of its own. */
export async function runCli(args: string[], options: CliOptions = {}): Promise<CliRun> {
  const { stdin = "", env = {}, isTTY = false, answers } = options;
  const printed = { stdout: "", stderr: "" };
  const asked: string[] = [];
  const output = (name: keyof typeof printed) => ({
    isTTY,
    write: (text: string) => {
      printed[name] += text;
      if (name === "stdout") options.onOutput?.(printed.stdout);
    },
  });
  const code = await run(args, {
    stdin: (async function* () {
      if (stdin.length > 0) yield Buffer.from(stdin);
    })(),
    stdout: output("stdout"),
    stderr: output("stderr"),
    env: { ...nowhere, ...env },
    fetch: options.fetch ?? noFetch,
    signal: options.signal ?? new AbortController().signal,
    ask:
      answers &&
      (async (question) => {
        asked.push(question);
        return answers.shift() ?? "";
      }),
  });
  return { code, ...printed, asked };
}
