import type { LoggedEvent } from "../../db/service/events/event.ts";
import { viewEvent } from "./view.ts";

/** Blocks of a stream in the form of text/event-stream (HTML Living Standard, 9.2.5). */

const written = new WeakMap<LoggedEvent, Buffer>();

/** An event, put into bytes once however many streams it is for. JSON has no line breaks, so it is one line of data. */
export function eventBlock(event: LoggedEvent): Buffer {
  const known = written.get(event);
  if (known !== undefined) return known;
  const { sequence, kind } = event;
  const block = Buffer.from(`id: ${sequence}\nevent: ${kind}\ndata: ${JSON.stringify(viewEvent(event))}\n\n`);
  written.set(event, block);
  return block;
}

/** Milliseconds until a reader whose stream has ended asks again: not all of them in the same moment. */
const reconnectAfter = (): number => 1_000 + Math.floor(Math.random() * 2_000);

/** The beginning of a stream: its position, from which a reader resumes though no event has come yet. */
export const readyBlock = (position: number): Buffer =>
  Buffer.from(
    `retry: ${reconnectAfter()}\nid: ${position}\nevent: ready\ndata: {"sequence":${position}}\n\n`,
  );

/**
 * A sign of life, which readers ignore. Its id moves the position from which they resume to that of the log, though the
 * events up to there were none for them.
 */
export const heartbeatBlock = (position: number | undefined): Buffer =>
  Buffer.from(position === undefined ? ":\n\n" : `:\nid: ${position}\n\n`);

/** Says why a stream ends, to whoever looks at it. */
export const endBlock = (why: string): Buffer => Buffer.from(`: ${why}\n\n`);
