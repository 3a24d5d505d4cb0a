import { type Logger, pino } from "pino";

/**
 * Opens the API's log on standard output. Lines are written in blocks of 8 KiB or after half a second, which costs
 * a fraction of a write for each line. Writes are synchronous: an asynchronous one that is under way when the process
 * exits can be overtaken by the rest.
 */
export function openLog(level: string): Logger {
  const output = pino.destination({ dest: 1, sync: true, minLength: 8_192, periodicFlush: 500 });
  process.once("exit", () => output.flushSync());
  return pino({ level, base: { part: "api" } }, output);
}
