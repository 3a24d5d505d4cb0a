#!/usr/bin/env node
import { createReadStream, fstatSync, type Stats } from "node:fs";
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

/** Node.js takes a folder or a block device for an empty input. */
function standardInput(): AsyncIterable<Uint8Array> {
  const stats = statOf(process.stdin.fd);
  const isMistaken = stats?.isDirectory() === true || stats?.isBlockDevice() === true;
  return isMistaken ? createReadStream("", { fd: process.stdin.fd, autoClose: false }) : process.stdin;
}

function statOf(descriptor: number): Stats | undefined {
  try {
    return fstatSync(descriptor);
  } catch {
    return undefined; // Some kinds of handles cannot be looked at.
  }
}

process.exitCode = await run(process.argv.slice(2), {
  stdin: standardInput(),
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  fetch: globalThis.fetch,
  signal: stopping.signal,
  ask: process.stdin.isTTY ? askAtTerminal : undefined,
});
isDone = true;
if (stopping.signal.aborted) process.exitCode = interrupted;
