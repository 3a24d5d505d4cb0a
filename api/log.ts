import { type Logger, pino } from "pino";

/**
 * Opens the API's log on standard output. Lines are written in blocks of 8 KiB or after half a second, which costs
 * a fraction of a write for each line; pino writes what is left when the process exits.
 */
export function openLog(level: string): Logger {
  const output = pino.destination({ dest: 1, sync: false, minLength: 8_192, periodicFlush: 500 });
  return pino({ level, base: { part: "api" } }, output);
}
