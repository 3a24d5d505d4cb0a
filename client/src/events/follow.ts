import type { Call } from "../call.ts";
import { ArgumentError } from "../errors.ts";
import type { ConnectionOptions } from "../options.ts";
import { backOff, delay, isRetryable, LONGEST_BACK_OFF, LONGEST_RETRY_AFTER } from "../retry.ts";
import { isDuration, throwIfAborted } from "../timeout.ts";
import type { RegistryEvent } from "../types/event.ts";
import { NoStreamError } from "./open-stream.ts";
import { checkAfter, type EventQuery } from "./query.ts";
import { SilenceError, type StreamTimes } from "./read-stream.ts";
import { createSource } from "./source.ts";

/**
 * How events come in: as they happen, by asking again and again, or not at the moment, and why. `after` is the sequence
 * after which events are told, so that whoever begins reads the present state of things once it is known.
 */
export type EventConnection =
  | { state: "live"; after: number }
  | { state: "polling"; after: number; reason: string }
  | { state: "lost"; error: Error };

export type FollowOptions = EventQuery & {
  /** Sequence of the last event that was dealt with; left out: from now on, or see `replay`. */
  after?: number | undefined;
  /** Without `after`: begins with the oldest event that is kept. */
  replay?: boolean | undefined;
  /** Milliseconds between two polls where no stream comes through (2,000). */
  interval?: number | undefined;
  /** Told whenever that changes. */
  onConnection?: ((connection: EventConnection) => void) | undefined;
  /** Ends it with the signal's reason. */
  signal?: AbortSignal | undefined;
};

/** Milliseconds. */
export type FollowTimes = StreamTimes & {
  /** Until the stream is tried again where none came through; doubled each time, up to `longestPolling`. */
  polling: number;
  longestPolling: number;
  /** Between two streams where the service asks for nothing. */
  retry: number;
  /** The least between two streams, whatever the service asks for. */
  shortestRetry: number;
};

const usualTimes: FollowTimes = {
  first: 5_000,
  silence: 45_000,
  polling: 60_000,
  longestPolling: 600_000,
  retry: 1_000,
  shortestRetry: 500,
};

/** After so many streams that went silent in a row, a proxy is held to keep them back. */
const mostSilences = 2;

/** Follows the log of events by its stream, or by polls where none comes through, as all readers of one client learn. */
export function createFollow(connection: ConnectionOptions, call: Call, times: FollowTimes = usualTimes) {
  let polling = times.polling;
  let streamAt = 0;
  let reason = "";
  return async function* follow(options: FollowOptions = {}): AsyncGenerator<RegistryEvent, never> {
    const { after, replay = false, interval = 2_000, onConnection, signal } = options;
    checkAfter(after);
    if (!isDuration(interval)) throw new ArgumentError("interval must be a number of milliseconds.");
    const source = createSource(connection, call, options, times);
    let state: EventConnection["state"] | undefined;
    const tell = (now: EventConnection) => {
      if (state === now.state) return;
      state = now.state;
      onConnection?.(now);
    };
    let wasConnected = false;
    let failures = 0;
    let silences = 0;
    const connected = (now: EventConnection) => {
      wasConnected = true;
      tell(now);
    };
    // A stream is read to its end, or one poll is made, in each turn.
    for (;;) {
      throwIfAborted(signal);
      let wait = interval;
      const [began, from] = [performance.now(), source.position()];
      try {
        if (performance.now() < streamAt) {
          const found = yield* source.poll(replay, (after) => {
            connected({ state: "polling", after, reason });
            failures = 0;
          });
          if (found) wait = 0;
        } else {
          const retry = yield* source.stream(replay, (after) => {
            connected({ state: "live", after });
            polling = times.polling;
          });
          silences = 0;
          failures = 0;
          const asked = Math.max(retry ?? times.retry, times.shortestRetry);
          wait = spread(Math.min(asked, LONGEST_RETRY_AFTER));
        }
      } catch (error) {
        throwIfAborted(signal);
        silences = error instanceof SilenceError ? silences + 1 : 0;
        if (error instanceof NoStreamError || silences >= mostSilences) {
          reason = (error as Error).message;
          streamAt = performance.now() + polling;
          polling = Math.min(polling * 2, times.longestPolling);
          silences = 0;
          continue;
        }
        if (!isRetryable(error)) throw error;
        // Who never got through learns of it, as by any other call.
        if (!wasConnected && failures >= (connection.retries ?? 4)) throw error;
        tell({ state: "lost", error });
        // A stream that breaks as soon as it stands, again and again, is opened ever more rarely.
        if (source.position() !== from || performance.now() - began > LONGEST_BACK_OFF) failures = 0;
        wait = Math.min(error.retryAfter ?? 0, LONGEST_RETRY_AFTER) + backOff(failures);
        failures += 1;
      }
      await delay(wait, signal);
    }
  };
}

/** Spread over a while, so that readers who lost one server do not all come to the next at once. */
const spread = (milliseconds: number): number => milliseconds * (0.5 + Math.random());
