import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { RegistryEvent } from "../../client/src/client.ts";

/**
 * What a stream meets, beside working:
 * - `unanswered`: nothing comes back
 * - `kept back`: the head comes, and a proxy keeps the rest
 * - `a page`: a proxy's page
 * - `empty`: a proxy ends it before its first message
 * - `comments without end`: as fast as they are read
 * - `cut`: the connection breaks as soon as the stream stands
 * - `one, then cut`: the connection breaks after one event
 * - `one, then ended`, `ended`: the service closes it, as when it stops
 * - `nothing, then ended`: a heartbeat names the end of the log, though nothing before it was told
 * - `one, then silence`: no heartbeat comes either
 * - `older ones again`: after each event, those before it
 * - `in pieces`: a byte at a time
 * - `nonsense`: data that is no event
 * - `refused`: with this status and code
 */
export type StreamFault =
  | "works"
  | "unanswered"
  | "kept back"
  | "a page"
  | "empty"
  | "comments without end"
  | "cut"
  | "one, then cut"
  | "ended"
  | "one, then ended"
  | "nothing, then ended"
  | "one, then silence"
  | "older ones again"
  | "in pieces"
  | "nonsense"
  | { refused: number; code?: string; retryAfter?: string };

export const anEvent = (sequence: number, state = "Received"): RegistryEvent =>
  ({
    id: `00000000-0000-4000-8000-${String(sequence).padStart(12, "0")}`,
    sequence,
    kind: `request.${state}`,
    time: "2026-11-29T00:00:00+00:00",
    transactionId: "11111111-1111-4111-8111-111111111111",
    assetId: `0x${"1".repeat(64)}`,
    data: { state },
  }) as RegistryEvent;

/** The log of events over HTTP in place of the service; the first streams meet these faults, one each, then the last. */
export async function startEventService(faults: StreamFault[] = ["works"]) {
  const log: RegistryEvent[] = [];
  const calls: { path: string; after: string | undefined; headers: IncomingMessage["headers"] }[] = [];
  const streams = new Set<{ response: ServerResponse; send(event: RegistryEvent): void }>();
  const pageFaults: { status: number; code: string }[] = [];
  let first = 1;
  let closed = 0;
  const text = (event: RegistryEvent) =>
    `id: ${event.sequence}\nevent: ${event.kind}\ndata: ${JSON.stringify(event)}\n\n`;

  const eventsAfter = (position: number) => log.filter(({ sequence }) => sequence > position);

  function refuse(response: ServerResponse, status: number, code = "", retryAfter?: string) {
    response.writeHead(status, retryAfter === undefined ? {} : { "retry-after": retryAfter });
    response.end(code === "" ? "<p>no" : JSON.stringify({ value: null, error: { code, message: "No." } }));
  }

  function isRefused(response: ServerResponse, after: number | undefined): boolean {
    if (after === undefined) return false;
    if (after < first - 1) refuse(response, 410, "EVENTS_GONE");
    else if (after > log.length) refuse(response, 409, "EVENT_AHEAD");
    return response.headersSent;
  }

  function page(response: ServerResponse, after: number | undefined, size: number) {
    const fault = pageFaults.shift();
    if (fault !== undefined) return refuse(response, fault.status, fault.code);
    if (isRefused(response, after)) return;
    const value = eventsAfter(after ?? first - 1).slice(0, size);
    const next = value.length === size ? value.at(-1)?.sequence : log.length;
    response.end(JSON.stringify({ value, meta: { size: value.length, next: String(next) } }));
  }

  function stream(response: ServerResponse, after: number | undefined) {
    const fault = (faults.length > 1 ? faults.shift() : faults[0]) ?? "works";
    if (fault === "unanswered") return;
    if (fault === "a page") return void response.end("<!doctype html><title>Welcome</title>");
    if (typeof fault === "object") return refuse(response, fault.refused, fault.code, fault.retryAfter);
    if (isRefused(response, after)) return;
    response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });
    response.flushHeaders();
    if (fault === "kept back") return;
    if (fault === "empty") return void response.end(":\n\n");
    if (fault === "comments without end") return commentsWithoutEnd(response);
    const position = after ?? log.length;
    response.write(`retry: 10\nid: ${position}\nevent: ready\ndata: {}\n\n`);
    const missed = eventsAfter(position);
    if (fault === "works") {
      for (const event of missed) response.write(text(event));
      const open = { response, send: (event: RegistryEvent) => void response.write(text(event)) };
      streams.add(open);
      response.on("close", () => streams.delete(open));
      return;
    }
    if (fault === "nothing, then ended") return void response.end(`:\nid: ${log.length}\n\n`);
    if (fault === "cut") return void response.write(":\n\n", () => response.destroy());
    if (fault === "ended") return void response.end();
    if (fault === "nonsense") return void response.end("event: request.Received\ndata: <p>Welcome\n\n");
    if (fault === "older ones again") {
      const again = missed.flatMap((event) => [event, ...log.slice(0, event.sequence).toReversed()]);
      return void response.end(again.map(text).join(""));
    }
    if (fault === "in pieces") return void inPieces(response, missed.map(text).join(""));
    const one = missed.slice(0, 1).map(text).join("");
    if (fault === "one, then ended") response.end(one);
    else response.write(one, () => (fault === "one, then cut" ? response.destroy() : undefined));
  }

  function commentsWithoutEnd(response: ServerResponse) {
    const comments = ":\n\n".repeat(10_000);
    const write = () => {
      while (!response.destroyed && response.write(comments));
    };
    response.on("drain", write);
    write();
  }

  async function inPieces(response: ServerResponse, whole: string) {
    for (const byte of Buffer.from(whole)) {
      await new Promise<void>((resolve) => response.write(Buffer.of(byte), () => setImmediate(resolve)));
    }
    response.end();
  }

  const server = createServer((request, response) => {
    const { pathname, search, searchParams } = new URL(request.url ?? "", "http://stub");
    const after = (request.headers["last-event-id"] as string | undefined) ?? searchParams.get("after");
    calls.push({ path: pathname + search, after: after ?? undefined, headers: request.headers });
    response.on("close", () => {
      closed += 1;
    });
    const position = after === null ? undefined : after === "latest" ? log.length : Number(after);
    if (pathname === "/events/stream") stream(response, position);
    else page(response, position, Number(searchParams.get("size") ?? 50));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Calls that came, in order; `after` from the header or the query. */
    calls,
    streamCalls: () => calls.filter(({ path }) => path.startsWith("/events/stream")),
    pageCalls: () => calls.filter(({ path }) => !path.startsWith("/events/stream")),
    /** What the next streams meet, one each, and the last of them all that follow. */
    faults,
    /** What the next pages meet, one each. */
    pageFaults,
    /** How many answers ended, by either side. */
    closed: () => closed,
    openStreams: () => streams.size,
    /** Writes events into the log, and tells them to the streams that are open. */
    tell(count = 1) {
      for (let told = 0; told < count; told += 1) {
        const event = anEvent(log.length + 1);
        log.push(event);
        for (const { send } of streams) send(event);
      }
    },
    /** Takes the newest event out of the log. */
    untell() {
      log.pop();
    },
    /** Writes into every open stream. */
    write(piece: string) {
      for (const { response } of streams) response.write(piece);
    },
    /** Breaks every open stream. */
    cut() {
      for (const { response } of streams) response.destroy();
    },
    /** Removes the oldest events from what is kept. */
    forgetBefore(sequence: number) {
      first = sequence;
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
