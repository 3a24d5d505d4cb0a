import { ConnectionError } from "../errors.ts";
import { throwIfAborted } from "../timeout.ts";
import { createMessageParser, type StreamMessage } from "./message-parser.ts";
import { type ByteReader, NoStreamError } from "./open-stream.ts";

/** Milliseconds of a stream. */
export type StreamTimes = {
  /** Until its first message, which the service sends at once: later, a proxy keeps it back. */
  first: number;
  /** Without a byte, though the service sends some every 15 seconds. */
  silence: number;
};

/** A stream went silent, though heartbeats of the service come more often. */
export class SilenceError extends ConnectionError {}

/** Messages of a stream; at its end, the milliseconds that it asks to wait before it is opened anew. */
export type Messages = AsyncGenerator<StreamMessage, number | undefined>;

/**
 * The messages of a stream until it ends, read no further ahead than one piece of it.
 * @param open opens it; its signal is aborted as soon as nobody reads any more
 * @throws NoStreamError where no message comes at first, SilenceError where nothing comes later, ConnectionError where
 * the connection breaks, the reason of the caller's signal, and whatever `open` throws
 */
export async function* readStream(
  open: (ended: AbortSignal) => Promise<ByteReader>,
  { first, silence }: StreamTimes,
  signal: AbortSignal | undefined,
): Messages {
  const ended = new AbortController();
  let fail = (_error: unknown): void => undefined;
  const giveUp = (error: unknown) => {
    fail(error);
    ended.abort(error);
  };
  const stop = () => giveUp(signal?.reason);
  signal?.addEventListener("abort", stop, { once: true });

  /** Waits for the next step; gives the stream up where that takes longer, or the caller ends it. */
  async function within<Step>(milliseconds: number, why: () => Error, step: Promise<Step>): Promise<Step> {
    const timer = setTimeout(() => giveUp(why()), milliseconds);
    try {
      return await new Promise((resolve, reject) => {
        fail = reject;
        step.then(resolve, reject);
      });
    } finally {
      clearTimeout(timer);
    }
  }

  const parser = createMessageParser();
  const decoder = new TextDecoder();
  const started = performance.now();
  const keptBack = () => new NoStreamError(`no message came within ${first} ms: a proxy may keep it back`);
  const wentSilent = () => new SilenceError(`The stream of events was silent for ${silence} ms.`);
  let isFirst = true;
  try {
    throwIfAborted(signal);
    const reader = await within(first, keptBack, open(ended.signal));
    for (;;) {
      const step = reader.read().catch(broken);
      const { done, value } = isFirst
        ? await within(Math.max(0, started + first - performance.now()), keptBack, step)
        : await within(silence, wentSilent, step);
      if (done && isFirst) throw new NoStreamError("the stream ended before its first message");
      if (done) return parser.retry();
      for (const message of parse(decoder.decode(value, { stream: true }))) {
        isFirst = false;
        yield message;
      }
      // Comments without a pause would leave the timer no time.
      if (isFirst && performance.now() > started + first) throw keptBack();
    }
  } finally {
    signal?.removeEventListener("abort", stop);
    ended.abort();
  }

  function parse(piece: string): StreamMessage[] {
    try {
      return parser.read(piece);
    } catch (error) {
      return broken(error);
    }
  }
}

function broken(cause: unknown): never {
  throw new ConnectionError(`The stream of events broke: ${String(cause)}`, { cause });
}
