import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import type { Followed } from "./request-log.ts";

/** Bounds of what a reader leaves unread. */
export type ReaderLimits = {
  /** Bytes that may wait for the reader; beyond that the connection is closed. */
  unsent: number;
  /** Milliseconds in which a reader that lags has to take what waits for it. */
  patience: number;
};

const usual: ReaderLimits = { unsent: 1024 * 1024, patience: 30_000 };

/** An open answer of type text/event-stream (HTML Living Standard, 9.2). */
export type EventStream = {
  /** Sends bytes. A reader that leaves too many unread is cut off, and resumes from the last event that it has. */
  send(bytes: Buffer): void;
  /** Whether so much waits for the reader that it does not keep up. */
  lags(): boolean;
  /** Waits until it does not lag. @returns false where the stream is over */
  taken(): Promise<boolean>;
  /** Ends the answer; a reader that lags loses what waits for it. */
  end(): void;
  /** Aborted when the stream is over, for whatever reason. */
  over: AbortSignal;
};

/** Begins to send on an open stream; may throw before it sends anything, which is answered as an error. */
export type BeginStream = (stream: EventStream) => void;

export const streamType = "text/event-stream; charset=utf-8";

/** Begins the stream, or, for HEAD, answers its headers alone. */
export function sendStream(
  request: IncomingMessage,
  response: Followed,
  begin: BeginStream,
  limits: Partial<ReaderLimits> = {},
): void {
  // The caller may have left meanwhile.
  if (response.destroyed) return;
  const stream = openStream(response, { ...usual, ...limits });
  if (request.method === "HEAD") {
    writeHead(response);
    response.end();
  } else begin(stream);
}

function writeHead(response: Followed): void {
  response.setHeader("Content-Type", streamType);
  // A proxy that compresses or buffers would keep events back.
  response.setHeader("Cache-Control", "no-store, no-transform");
  response.setHeader("X-Accel-Buffering", "no");
  response.locals.streamedFrom = performance.now();
}

function openStream(response: Followed, { unsent, patience }: ReaderLimits): EventStream {
  const over = new AbortController();
  response.once("close", () => over.abort());
  return {
    over: over.signal,
    send(bytes) {
      if (over.signal.aborted || response.writableEnded) return;
      if (!response.headersSent) writeHead(response);
      response.write(bytes);
      if (response.writableLength > unsent) response.destroy();
    },
    // More than is usually sent at once, and enough for Node to say when it is taken.
    lags: () => response.writableNeedDrain && response.writableLength > unsent / 4,
    async taken() {
      if (over.signal.aborted || response.writableEnded) return false;
      if (!response.writableNeedDrain) return true;
      const timer = setTimeout(() => response.destroy(), patience);
      try {
        await once(response, "drain", { signal: over.signal });
        return true;
      } catch {
        return false;
      } finally {
        clearTimeout(timer);
      }
    },
    end() {
      response.end();
      if (response.writableNeedDrain) response.destroy();
    },
  };
}
