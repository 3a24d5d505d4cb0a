import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { Problem } from "./problem.ts";

/** Asks a person at the terminal; a hidden answer is not shown while it is typed. @throws Problem at Ctrl-C */
export async function askAtTerminal(question: string, { hidden }: { hidden: boolean }): Promise<string> {
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({
    input: process.stdin,
    output: hidden ? silent : process.stderr,
    terminal: true,
  });
  const stopped = new AbortController();
  terminal.on("SIGINT", () => stopped.abort());
  terminal.on("close", () => stopped.abort());
  if (hidden) process.stderr.write(question);
  try {
    return await terminal.question(hidden ? "" : question, { signal: stopped.signal });
  } catch {
    throw new Problem("not-answered", "The question was not answered, so nothing was done.");
  } finally {
    terminal.close();
    if (hidden) process.stderr.write("\n");
  }
}
