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

/** Milliseconds in which a repeated line is shown once; the file has them all. */
const SAME_LINE_MS = 30_000;
const MOST_LINES = 100;
/** Milliseconds until a failed write of the file is retried. */
const WRITE_AGAIN_MS = 5_000;

/** A log line as a person reads it; undefined for one that only the file needs. */
export function readableLine(name: string, line: string, leastLevel = WARN): string | undefined {
  const { data } = entry.safeParse(parseJson(line));
  if (data === undefined) return leastLevel < WARN && line.trim() !== "" ? `${name}: ${line}` : undefined;
  if (data.level < leastLevel) return undefined;
  const words = [...new Set([data.msg, data.err?.message])].filter((text) => text?.trim());
  if (words.length === 0) return undefined;
  const time = new Date(data.time ?? Date.now()).toTimeString().slice(0, 8);
  return `${time} ${name} ${levels[data.level] ?? data.level}: ${words.join(": ").replaceAll("\n", " ")}`;
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined; // not from the logger: the last words of a crash, perhaps
  }
}

export function openLog(name: string, file: string, show: (line: string) => void, leastLevel = WARN): Log {
  const write = openFile(name, file, show);
  const showNew = onceInAWhile(show);
  return {
    file,
    follow(stream) {
      createInterface(stream).on("line", (line) => {
        write.line(line);
        const readable = readableLine(name, line, leastLevel);
        if (readable !== undefined) showNew(readable);
      });
    },
    lastLines: (count) => readFileSync(file, "utf8").trimEnd().split("\n").slice(-count).join("\n"),
    close: write.close,
  };
}

/** A full disk must not end the service that writes its log there: lines are left out until there is room. */
function openFile(name: string, file: string, show: (line: string) => void) {
  mkdirSync(dirname(file), { recursive: true });
  let handle: number | undefined = openSync(file, "w", 0o600);
  let leftOut = 0;
  let tryAt = 0;
  return {
    line(text: string): void {
      if (handle === undefined) return;
      if (leftOut > 0 && performance.now() < tryAt) {
        leftOut += 1;
        return;
      }
      try {
        writeSync(handle, `${leftOut > 0 ? `(${leftOut} lines are missing here)\n` : ""}${text}\n`);
        if (leftOut > 0)
          show(`The log of the ${name} is written again; ${leftOut} lines are missing in ${file}`);
        leftOut = 0;
      } catch (error) {
        if (leftOut === 0) {
          show(`The log of the ${name} cannot be written: ${(error as Error).message}. The service goes on.`);
        }
        leftOut += 1;
        tryAt = performance.now() + WRITE_AGAIN_MS;
      }
    },
    close(): void {
      if (handle !== undefined) closeSync(handle);
      handle = undefined;
    },
  };
}

/** Without the lines that differ from one just shown in nothing but their time. */
function onceInAWhile(show: (line: string) => void): (line: string) => void {
  const shownAt = new Map<string, number>();
  return (line) => {
    const now = performance.now();
    for (const [text, at] of shownAt) {
      if (now - at > SAME_LINE_MS || shownAt.size > MOST_LINES) shownAt.delete(text);
    }
    const text = line.replace(/^\d\d:\d\d:\d\d /, "");
    if (shownAt.has(text)) return;
    shownAt.set(text, now);
    show(line);
  };
}
