import type { Address } from "viem";
import type { LoggedEvent } from "../../db/service/events/event.ts";
import type { EventFilter } from "../../db/service/events/read.ts";
import { eventBlock } from "./frames.ts";
import { followWallet, isTold, roomOfAuthor, roomsFor, roomsOf } from "./visibility.ts";

/** A stream that has caught up with the log. */
export type Listener = {
  filter: EventFilter;
  wallets: Set<Address>;
  /** The last event that it was told of, or that it passed. */
  position: number;
  send(bytes: Buffer): void;
};

export type Audience = ReturnType<typeof createAudience>;

/**
 * Tells events to the streams that they are for. Streams are found by what the events are about, so that one costs
 * nothing for the others.
 */
export function createAudience() {
  const rooms = new Map<string, Set<Listener>>();

  function enter(listener: Listener, room: string): void {
    const others = rooms.get(room);
    if (others === undefined) rooms.set(room, new Set([listener]));
    else others.add(listener);
  }

  function leave(listener: Listener, room: string): void {
    const others = rooms.get(room);
    others?.delete(listener);
    if (others?.size === 0) rooms.delete(room);
  }

  function followWallets(listener: Listener, event: LoggedEvent): void {
    const change = followWallet(listener, event);
    if (change !== undefined) (change.isConnected ? enter : leave)(listener, roomOfAuthor(change.address));
  }

  return {
    add(listener: Listener): void {
      for (const room of roomsFor(listener)) enter(listener, room);
    },

    remove(listener: Listener): void {
      for (const room of roomsFor(listener)) leave(listener, room);
    },

    /** Tells events in order. Each is put into words once, and each stream sends all of its own at once. */
    tell(events: readonly LoggedEvent[]): void {
      const join = createJoiner();
      const told = new Map<Listener, LoggedEvent[]>();
      for (const event of events) {
        for (const room of roomsOf(event)) {
          // A copy: a wallet that is connected or removed changes who is in the rooms.
          for (const listener of [...(rooms.get(room) ?? [])]) {
            if (event.sequence <= listener.position) continue;
            listener.position = event.sequence;
            followWallets(listener, event);
            if (!isTold(listener, event)) continue;
            const own = told.get(listener);
            if (own === undefined) told.set(listener, [event]);
            else own.push(event);
          }
        }
      }
      for (const [listener, own] of told) listener.send(join(own));
    },
  };
}

/** Joins the bytes of events, those of the same events once. */
function createJoiner(): (events: readonly LoggedEvent[]) => Buffer {
  const joined = new Map<string, Buffer>();
  return (events) => {
    const [first] = events;
    if (events.length === 1 && first !== undefined) return eventBlock(first);
    const name = events.map(({ sequence }) => sequence).join();
    const known = joined.get(name) ?? Buffer.concat(events.map(eventBlock));
    joined.set(name, known);
    return known;
  };
}
