import type { Call } from "../call.ts";
import type { ConnectionOptions } from "../options.ts";
import { queryString } from "../pages.ts";
import { throwIfAborted } from "../timeout.ts";
import type { RegistryEvent } from "../types/event.ts";
import { openStream } from "./open-stream.ts";
import { readEventPages } from "./pages.ts";
import { parseEvent } from "./parse-event.ts";
import { type EventQuery, eventParameters } from "./query.ts";
import { readStream, type StreamTimes } from "./read-stream.ts";

type Options = EventQuery & { after?: number | undefined; signal?: AbortSignal | undefined };

/** Told the sequence after which events come. */
type Told = (after: number) => void;

/**
 * One reader's place in the log, and the two ways to read on from there. Both answer each event once and in order,
 * whatever comes.
 */
export function createSource(
  connection: ConnectionOptions,
  call: Call,
  options: Options,
  times: StreamTimes,
) {
  const { signal } = options;
  const query = eventParameters(options);
  /** Sequence after which is read on; undefined until any is known. */
  let position = options.after;

  const moveTo = (sequence: number) => {
    if (sequence > (position ?? -1)) position = sequence;
  };
  const moveToId = (id: string) => {
    if (/^\d{1,15}$/.test(id)) moveTo(Number(id));
  };
  const isNew = ({ sequence }: RegistryEvent) => sequence > (position ?? -1);

  /** Reads what the log holds after the position to its end. @returns whether it held anything */
  async function* readPages(onAnswer: Told = () => undefined): AsyncGenerator<RegistryEvent, boolean> {
    let found = false;
    for await (const page of readEventPages(call, query, position, { signal, retries: 0 })) {
      onAnswer(position ?? 0);
      for (const event of page.events) {
        if (!isNew(event)) continue;
        found = true;
        yield event;
        moveTo(event.sequence);
        throwIfAborted(signal);
      }
      moveTo(page.next);
    }
    return found;
  }

  /** Goes to the end of the log without reading what it holds. */
  async function goToEnd(): Promise<void> {
    const options = { signal, retries: 0 };
    for await (const { next } of readEventPages(call, query, "latest", options)) return moveTo(next);
  }

  return {
    /** Sequence after which is read on, where any is known. */
    position: (): number | undefined => position,

    /**
     * Reads the stream to its end.
     * @param replay without a position: begins with the oldest event rather than from now on
     * @param onReady told when the stream stands
     * @returns milliseconds to wait before the next one, where the service says so
     */
    async *stream(replay: boolean, onReady: Told): AsyncGenerator<RegistryEvent, number | undefined> {
      const path = `/events/stream${queryString(query)}`;
      // Read before the stream is opened, which the service would end while these are dealt with.
      if (replay && position === undefined) yield* readPages();
      const messages = readStream((ended) => openStream(connection, path, position, ended), times, signal);
      try {
        for (;;) {
          const { done, value } = await messages.next();
          if (done) return value;
          if (value.type === "ready") {
            // What came between the pages and this stream.
            if (replay && position === undefined) yield* readPages();
            moveToId(value.id);
            onReady(position ?? 0);
            continue;
          }
          if (value.data === "") {
            // A heartbeat, which says that all events up to here have been told.
            if (value.type === "") moveToId(value.id);
            continue;
          }
          const event = parseEvent(value.data);
          if (!isNew(event)) continue;
          yield event;
          moveTo(event.sequence);
          throwIfAborted(signal);
        }
      } finally {
        await messages.return(undefined);
      }
    },

    /** Reads what came since the last poll. @returns whether anything did */
    async *poll(replay: boolean, onAnswer: Told): AsyncGenerator<RegistryEvent, boolean> {
      if (position !== undefined || replay) return yield* readPages(onAnswer);
      await goToEnd();
      onAnswer(position ?? 0);
      return false;
    },
  };
}
