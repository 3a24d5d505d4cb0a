#!/usr/bin/env node
import { run } from "./run.ts";
import { askAtTerminal } from "./terminal.ts";

const stopping = new AbortController();
/** Exit code of a program that Ctrl-C ended. */
const interrupted = 130;
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
// Nobody reads any more, as in `… | head -1`: that is no error.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(0);
  throw error;
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
if (stopping.signal.aborted) process.exitCode = interrupted;
