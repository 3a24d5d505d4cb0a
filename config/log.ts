import { type Logger, pino } from "pino";

/** Bytes of lines that wait for the log's reader; lines beyond them are dropped and counted. */
const mostWaitingBytes = 4 * 1024 * 1024;
/** Milliseconds for which lines may wait for more, to be written with them. */
const flushMs = 500;
/** Milliseconds until lines for which the reader had no room are tried again. */
const retryMs = 20;
/** Milliseconds for which a process that ends waits for a reader that takes nothing. */
const patienceMs = 1_000;

/**
 * Opens the log of a process on standard output. A reader that is slow or stands still holds up nothing: lines wait in
 * memory, within a bound, and the log counts those that were dropped as soon as it flows again.
 * @param part which program writes
 * @param blockBytes lines are written together from this size on, or after half a second, which costs a fraction of a
 *   write for each line; without it each line is written at once
 */
export function openLog(part: string, level: string, blockBytes = 1): Logger {
  let dropped = 0;
  let patience: ReturnType<typeof createPatience> | undefined;
  // Node makes a pipe or socket non-blocking when it opens process.stdout (not on Windows). So a write is synchronous, and
  // none is under way when the process ends, but one that would have to wait fails with EAGAIN, and its lines are kept.
  const output = pino.destination({
    dest: process.stdout.fd,
    sync: true,
    minLength: blockBytes,
    maxLength: mostWaitingBytes,
    periodicFlush: flushMs,
    retryEAGAIN: (_error, writing, waiting) => patience?.lasts(writing + waiting) ?? false,
  });
  let retries = false;
  // The process goes on with a full disk or without a reader too.
  output.on("error", ({ code }: NodeJS.ErrnoException) => {
    if (code !== "EAGAIN" || retries) return;
    retries = true;
    setTimeout(again, retryMs).unref();
  });
  output.on("drop", () => {
    dropped += 1;
  });
  output.on("drain", reportDropped);
  const log = pino({ level, base: { part } }, output);

  function again(): void {
    retries = false;
    output.flush();
  }

  function reportDropped(): void {
    if (dropped === 0) return;
    const count = dropped;
    dropped = 0;
    log.error({ dropped: count }, "lines of this log were dropped because its reader did not keep up");
  }

  process.once("exit", () => {
    patience = createPatience();
    output.flush();
    reportDropped();
    output.end();
  });
  return log;
}

/** Lasts while fewer and fewer bytes are left. */
function createPatience() {
  let least = Number.POSITIVE_INFINITY;
  let deadline = 0;
  return {
    lasts(bytes: number): boolean {
      if (bytes < least) deadline = Date.now() + patienceMs;
      least = Math.min(least, bytes);
      return Date.now() < deadline;
    },
  };
}
