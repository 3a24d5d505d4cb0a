import type { Hex } from "viem";

/** How a reader learns of events; of a poll, every so many milliseconds. */
export type Way = "stream" | "webhook" | { pollMs: number };

/** A reader of events: a stream, a poller, or the receiver of a webhook. */
export type Reader = { way: Way; tenant: string; key: string; kinds: string[]; assetId?: Hex };

/** Names a way in what is measured. */
export const nameOf = (way: Way): string => (typeof way === "string" ? way : `poll ${way.pollMs}`);

/** From the parent to the readers' process, and back. */
export type Order = { do: "read"; apiUrl: string; databaseUrl: string; readers: Reader[] } | { do: "finish" };
export type Report = { did: "read" } | { did: "finish"; heard: [way: string, Heard][] };

/** Of the readers of one way: events told, milliseconds from the commit of an event until it was told. */
export type Heard = { readers: number; events: number; median: number; p99: number };
