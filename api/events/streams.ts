import type { Pool } from "../../db/core/pool.ts";
import type { EventFilter } from "../../db/service/events/read.ts";
import type { LastingCredentials } from "../auth/lasting-credentials.ts";
import type { BeginStream, EventStream, ReaderLimits } from "../http/event-stream.ts";
import type { Log } from "../http/request-log.ts";
import { createAudience, type Listener } from "./audience.ts";
import { createCatchUp } from "./catch-up.ts";
import { endBlock, heartbeatBlock, readyBlock } from "./frames.ts";
import { checkPosition } from "./page.ts";
import { createStreamPlaces } from "./stream-places.ts";
import { createTail, type TailSettings } from "./tail.ts";

export type StreamSettings = {
  /** Most streams of one API key, or of one address without a key. */
  most: number;
  /** Milliseconds between two signs of life, shorter than any proxy waits. */
  heartbeat: number;
  tail: Partial<TailSettings>;
  readers: Partial<ReaderLimits>;
};

const usual: StreamSettings = { most: 100, heartbeat: 15_000, tail: {}, readers: {} };

/** A request for a stream: which events, from which position, on whose account. */
export type Asked = {
  filter: EventFilter;
  /** The event after which it begins; undefined: what happens from now on. */
  after: number | undefined;
  /** The account whose streams are counted, and whether it has an API key or identity token. */
  owner: string;
  hasCredential: boolean;
  credentials: LastingCredentials;
};

type Open = {
  stream: EventStream;
  credentials: LastingCredentials;
  /** Undefined until it has caught up with the log. */
  listener: Listener | undefined;
  /** The position that the last heartbeat named. */
  named: number;
  /** Called when it does not keep up any more, or is over. */
  isBehind: () => void;
};

const EXPIRED = "the identity token has expired";
const isExpired = ({ credentials }: Open): boolean => Date.now() >= credentials.expiresAt;

export type Streams = ReturnType<typeof createStreams>;

/**
 * The streams of events of this process. They share one reading of the log, and go on while the database is away: then
 * they carry signs of life alone, and what happened meanwhile when it is back.
 * @param pools `tail` follows the log, `pages` reads what streams have missed
 */
export function createStreams(
  pools: { tail: Pool; pages: Pool },
  log: Log,
  given: Partial<StreamSettings> = {},
) {
  const { most, heartbeat, tail: tailSettings, readers } = { ...usual, ...given };
  const places = createStreamPlaces(most);
  const audience = createAudience();
  const open = new Set<Open>();
  let beating: NodeJS.Timeout | undefined;
  let isClosed = false;
  const tail = createTail(
    pools.tail,
    log,
    { tell: audience.tell, lost: () => endAll("the log of events is another one") },
    tailSettings,
  );
  const catchUp = createCatchUp(pools.pages, tail);

  function begin(
    { filter, owner, hasCredential, credentials }: Asked,
    from: number,
    stream: EventStream,
  ): void {
    const giveBack = places.take(owner, hasCredential);
    const one: Open = { stream, credentials, listener: undefined, named: from, isBehind: () => {} };
    open.add(one);
    beating ??= setInterval(beat, heartbeat).unref();
    stream.over.addEventListener("abort", () => {
      giveBack();
      open.delete(one);
      leave(one);
      one.isBehind();
      if (open.size === 0) rest();
    });
    stream.send(readyBlock(from));
    if (isClosed) {
      end(one, "the service stops");
      return;
    }
    serve(one, filter, from).catch((error: unknown) => {
      log.debug({ err: { message: String(error) } }, "a stream of events ended");
      end(one, "events cannot be read");
    });
  }

  /** Sends events as fast as the reader takes them: as they happen, or behind them while it lags. */
  async function serve(one: Open, filter: EventFilter, from: number): Promise<void> {
    const { stream } = one;
    let position = from;
    await tail.start();
    while (!stream.over.aborted) {
      const { promise: behind, resolve } = Promise.withResolvers<void>();
      one.isBehind = resolve;
      let joined: Listener | undefined;
      await catchUp(filter, position, stream, (standing) => {
        joined = {
          ...standing,
          filter,
          send(bytes) {
            if (isExpired(one)) return end(one, EXPIRED);
            stream.send(bytes);
            if (!stream.lags()) return;
            leave(one);
            resolve();
          },
        };
        one.listener = joined;
        audience.add(joined);
      });
      if (joined === undefined) return;
      await behind;
      position = joined.position;
      if (!(await stream.taken())) return;
    }
  }

  function leave(one: Open): void {
    if (one.listener !== undefined) audience.remove(one.listener);
    one.listener = undefined;
  }

  function end({ stream }: Open, why: string): void {
    stream.send(endBlock(why));
    stream.end();
  }

  function endAll(why: string): void {
    for (const one of open) end(one, why);
    tail.stop();
  }

  function beat(): void {
    const position = tail.position();
    const [still, moved] = [heartbeatBlock(undefined), heartbeatBlock(position)];
    for (const one of open) {
      if (isExpired(one)) end(one, EXPIRED);
      const hasMoved = one.listener !== undefined && position > one.named;
      one.stream.send(hasMoved ? moved : still);
      if (hasMoved) one.named = position;
    }
    recheck();
  }

  /** Ends the streams of keys that hold no longer. While the database is away, all hold. */
  function recheck(): void {
    const byKey = Map.groupBy(open, ({ credentials }) => credentials.key?.name);
    for (const streams of byKey.values()) {
      const holds = streams[0]?.credentials.key?.holds() ?? Promise.resolve(true);
      holds.then(
        (isGood) => {
          if (!isGood) for (const one of streams) end(one, "the API key is valid no longer");
        },
        () => undefined,
      );
    }
  }

  function rest(): void {
    clearInterval(beating);
    beating = undefined;
    tail.stop();
  }

  return {
    /**
     * Checks what a stream is asked for.
     * @throws ApiError EVENTS_GONE, EVENT_AHEAD, TRANSACTION_NOT_FOUND; TOO_MANY_STREAMS where it begins
     */
    async prepare(asked: Asked): Promise<BeginStream> {
      const { last } = await checkPosition(pools.pages, asked.filter, asked.after);
      return (stream) => begin(asked, asked.after ?? last, stream);
    },
    wake: tail.wake,
    recheck,
    /** How many streams are open. */
    count: places.count,
    readers,
    /** Ends all streams, and those that are opened from now on. */
    close(): void {
      isClosed = true;
      endAll("the service stops");
    },
  };
}
