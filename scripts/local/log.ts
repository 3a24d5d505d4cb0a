import { closeSync, mkdirSync, openSync, readFileSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { z } from "zod";

/** The log of one child: whole in its file, and what matters as a line on the terminal. */
export type Log = {
  file: string;
  /** Takes every line that comes out of the stream. */
  follow(stream: Readable): void;
  lastLines(count: number): string;
  close(): void;
};

const WARN = 40;
const levels: Record<number, string> = {
  10: "trace",
  20: "debug",
  30: "info",
  40: "warn",
  50: "error",
  60: "fatal",
};

const entry = z.object({
  level: z.number(),
  time: z.number().optional(),
  msg: z.string().optional(),
  err: z.object({ message: z.string() }).partial().optional(),
});

/** A log line as a person reads it; undefined for one that only the file needs. */
export function readableLine(name: string, line: string, leastLevel = WARN): string | undefined {
  const { data } = entry.safeParse(parseJson(line));
  if (data === undefined) return leastLevel < WARN && line.trim() !== "" ? `${name}: ${line}` : undefined;
  if (data.level < leastLevel) return undefined;
  const time = new Date(data.time ?? Date.now()).toTimeString().slice(0, 8);
  const message = [...new Set([data.msg, data.err?.message])].filter((text) => text).join(": ");
  return `${time} ${name} ${levels[data.level] ?? data.level}: ${message.replaceAll("\n", " ")}`;
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined; // not from the logger: the last words of a crash, perhaps
  }
}

export function openLog(name: string, file: string, show: (line: string) => void, leastLevel = WARN): Log {
  mkdirSync(dirname(file), { recursive: true });
  let handle: number | undefined = openSync(file, "w", 0o600);
  return {
    file,
    follow(stream) {
      createInterface(stream).on("line", (line) => {
        if (handle !== undefined) writeSync(handle, `${line}\n`);
        const readable = readableLine(name, line, leastLevel);
        if (readable !== undefined) show(readable);
      });
    },
    lastLines: (count) => readFileSync(file, "utf8").trimEnd().split("\n").slice(-count).join("\n"),
    close() {
      if (handle !== undefined) closeSync(handle);
      handle = undefined;
    },
  };
}
