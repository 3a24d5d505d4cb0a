#!/usr/bin/env node
import { exitCodes } from "./problem.ts";
import { run } from "./run.ts";
import { askAtTerminal } from "./terminal.ts";

const stopping = new AbortController();
/** Exit codes of a program that Ctrl-C ended, and of one whose output nobody reads to its end. */
const [interrupted, unread] = [130, 141];
/** Milliseconds until it ends though a read waits for somebody who writes nothing. */
const patience = 500;

/** Ends at once: `process.exit` would wait for the read itself. */
function endBy(signal: NodeJS.Signals): void {
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
}

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.on(signal, () => {
    if (stopping.signal.aborted) endBy(signal);
    stopping.abort();
    setTimeout(() => endBy(signal), patience).unref();
  });
}
let isDone = false;
process.stdout.on("error", ({ code, message }: NodeJS.ErrnoException) => {
  if (code !== "EPIPE") {
    process.stderr.write(`The output cannot be written: ${message}.\n`);
    process.exit(exitCodes.unable);
  }
  // Nobody reads any more, as in `… | head -1`. What was found out by then is the exit code all the same.
  if (!isDone) process.exit(unread);
});
process.stderr.on("error", () => {});

process.exitCode = await run(process.argv.slice(2), {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  fetch: globalThis.fetch,
  signal: stopping.signal,
  ask: process.stdin.isTTY ? askAtTerminal : undefined,
});
isDone = true;
if (stopping.signal.aborted) process.exitCode = interrupted;
