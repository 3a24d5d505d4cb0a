import { expect } from "chai";
import { connect } from "../../../client/src/call.ts";
import {
  ArgumentError,
  ConnectionError,
  createClient,
  type EventConnection,
  type FollowOptions,
  RegistryError,
  type RegistryEvent,
} from "../../../client/src/client.ts";
import { createFollow, type FollowTimes } from "../../../client/src/events/follow.ts";
import { type StreamFault, startEventService } from "../../support/event-service.ts";
import { eventually } from "../../support/eventually.ts";

type EventService = Awaited<ReturnType<typeof startEventService>>;

async function rejection(promise: Promise<unknown>): Promise<Error> {
  return await promise.then(
    () => expect.fail("it succeeded"),
    (error: Error) => error,
  );
}

describe("following events", () => {
  let service: EventService;
  const start = async (...faults: StreamFault[]) => {
    service = await startEventService(faults.length > 0 ? faults : undefined);
    return service;
  };
  afterEach(() => service.stop());

  const times: FollowTimes = {
    first: 1_500,
    silence: 1_500,
    polling: 200,
    longestPolling: 400,
    retry: 10,
    shortestRetry: 10,
  };
  const follow = (options: FollowOptions = {}, changed: Partial<FollowTimes> = {}) => {
    const connection = { url: service.url, apiKey: "key", retries: 2 };
    const events = createFollow(connection, connect(connection), { ...times, ...changed });
    return events({ interval: 20, ...options });
  };

  /** The next events of a reader. */
  async function take(reader: AsyncGenerator<RegistryEvent>, count: number): Promise<number[]> {
    const found: number[] = [];
    while (found.length < count) {
      const { value, done } = await reader.next();
      if (done === true) break;
      found.push(value.sequence);
    }
    return found;
  }

  async function firstOf(count: number, options: FollowOptions, changed?: Partial<FollowTimes>) {
    const reader = follow(options, changed);
    const found = await take(reader, count);
    await reader.return(undefined as never);
    return found;
  }

  const upTo = (last: number, from = 1) => Array.from({ length: last - from + 1 }, (_, at) => from + at);

  it("tells where it begins, once that is known, so that the present state can be read from there on", async () => {
    await start("works", "a page");
    service.tell(3);
    for (const [state, first] of [
      ["live", {}],
      ["live", { after: 2 }],
      ["polling", {}],
      ["polling", { after: 2 }],
    ] as const) {
      service.faults.splice(0, 2, state === "live" ? "works" : "a page");
      const states: EventConnection[] = [];
      const reader = follow({ ...first, onConnection: (now) => states.push(now) }, { polling: 60_000 });
      const next = reader.next();
      await eventually(
        "the connection",
        async () => states,
        ([now]) => now?.state === state,
      );
      expect(states[0]).to.include({ state, after: "after" in first ? 2 : 3 });
      service.tell();
      await next;
      await reader.return(undefined as never);
      service.untell();
    }
  });

  it("tells what happens after a position, and then as it happens", async () => {
    await start();
    service.tell(3);
    const reader = follow({ after: 1, kinds: ["request", "asset.final"], assetId: "0x1" });
    expect(await take(reader, 2)).to.deep.equal([2, 3]);
    service.tell();
    expect(await take(reader, 1)).to.deep.equal([4]);
    await reader.return(undefined as never);
    const [call, ...others] = service.calls;
    expect(others).to.deep.equal([]);
    expect(call?.path).to.equal("/events/stream?kinds=request%2Casset.final&assetId=0x1");
    expect(call?.after).to.equal("1");
    expect(call?.headers).to.include({ "x-api-key": "key", accept: "text/event-stream" });
  });

  it("begins now where no position is given, and with the oldest event where that is asked for", async () => {
    await start();
    service.tell(120);
    service.forgetBefore(21);
    const now = follow();
    const next = now.next();
    await eventually(
      "a stream",
      async () => service.openStreams(),
      (open) => open === 1,
    );
    service.tell();
    expect((await next).value.sequence).to.equal(121);
    await now.return(undefined as never);
    expect(await firstOf(101, { replay: true })).to.deep.equal(upTo(121, 21));
  });

  it("misses nothing that is told between the pages and the stream, where the log was empty", async () => {
    await start();
    const given: typeof fetch = async (url, init) => {
      if (String(url).includes("/stream")) service.tell();
      return fetch(url, init);
    };
    const reader = createClient({ url: service.url, fetch: given }).events({ replay: true });
    expect(await take(reader, 1)).to.deep.equal([1]);
    await reader.return(undefined as never);
  });

  for (const faults of [
    ["one, then cut", "one, then ended", "one, then cut", "works"],
    ["ended", "ended", { refused: 503, code: "NOT_READY" }, { refused: 502 }, "works"],
    ["one, then cut", "older ones again", "works"],
    ["in pieces", "works"],
    ["one, then silence", "works"],
    ["nonsense", "works"],
  ] satisfies StreamFault[][]) {
    it(`tells each event once and in order through: ${faults.map((fault) => JSON.stringify(fault))}`, async () => {
      await start(...faults);
      service.tell(6);
      const states: EventConnection["state"][] = [];
      const reader = follow({ after: 0, onConnection: ({ state }) => states.push(state) });
      const found = await take(reader, 6);
      service.tell(2);
      found.push(...(await take(reader, 2)));
      await reader.return(undefined as never);
      expect(found).to.deep.equal(upTo(8));
      expect(states[0]).to.equal("live");
    });
  }

  it("resumes after the newest that it told, not after what it has read ahead", async () => {
    await start();
    service.tell(5);
    const reader = follow({ after: 0 });
    expect(await take(reader, 2)).to.deep.equal([1, 2]);
    service.cut();
    service.tell(2);
    expect(await take(reader, 5)).to.deep.equal([3, 4, 5, 6, 7]);
    await reader.return(undefined as never);
    const [, again] = service.streamCalls();
    expect(Number(again?.after)).to.be.within(2, 6);
  });

  for (const fault of [
    "unanswered",
    "kept back",
    "a page",
    { refused: 404 },
    { refused: 405 },
    { refused: 501 },
    { refused: 404, code: "ROUTE_NOT_FOUND" },
    { refused: 429, code: "TOO_MANY_STREAMS", retryAfter: "60" },
    "empty",
    "comments without end",
  ] satisfies StreamFault[]) {
    it(`polls, and tries the stream again now and then, where it is ${JSON.stringify(fault)}`, async () => {
      await start(fault, fault, "works");
      service.tell(60);
      const states: EventConnection[] = [];
      const reader = follow({ after: 0, onConnection: (state) => states.push(state) }, { first: 150 });
      expect(await take(reader, 60)).to.deep.equal(upTo(60));
      expect(states).to.have.length(1);
      expect(states[0]).to.include({ state: "polling" });
      expect(states[0]).to.have.property("reason").that.is.a("string").and.is.not.empty;
      const next = reader.next();
      await eventually(
        "a stream",
        async () => service.openStreams(),
        (open) => open === 1,
      );
      const polls = service.pageCalls().length;
      service.tell();
      expect((await next).value.sequence).to.equal(61);
      expect(states.map(({ state }) => state)).to.deep.equal(["polling", "live"]);
      expect(service.pageCalls()).to.have.length(polls);
      await reader.return(undefined as never);
    });
  }

  it("learns once for all readers of a client that no stream comes through", async () => {
    await start("kept back");
    service.tell(2);
    const connection = { url: service.url };
    const events = createFollow(connection, connect(connection), { ...times, polling: 60_000 });
    for (let nth = 0; nth < 3; nth += 1) {
      const reader = events({ after: 0 });
      expect(await take(reader, 2)).to.deep.equal([1, 2]);
      await reader.return(undefined as never);
    }
    expect(service.streamCalls()).to.have.length(1);
  });

  it("polls where streams go silent again and again", async () => {
    await start("one, then silence");
    service.tell(4);
    const states: EventConnection["state"][] = [];
    const found = await firstOf(
      4,
      { after: 0, onConnection: ({ state }) => states.push(state) },
      { silence: 300, polling: 60_000 },
    );
    expect(found).to.deep.equal(upTo(4));
    expect(states.at(-1)).to.equal("polling");
    expect(service.streamCalls()).to.have.length(2);
  });

  it("polls from now on where no stream says where that is", async () => {
    await start("kept back");
    service.tell(450);
    const reader = follow({}, { polling: 60_000 });
    const next = reader.next();
    await eventually(
      "a poll after the end",
      async () => service.calls,
      (calls) => calls.at(-1)?.after === "450",
    );
    // The end of the log is found without reading what it holds.
    expect(service.pageCalls()[1]?.after).to.equal("450");
    service.tell();
    expect((await next).value.sequence).to.equal(451);
    await reader.return(undefined as never);
  });

  it("polls on through trouble, and after the pauses that the service asks for", async () => {
    await start("a page");
    service.tell(2);
    service.pageFaults.push({ status: 503, code: "NOT_READY" }, { status: 429, code: "RATE_LIMITED" });
    expect(await firstOf(2, { after: 0 }, { polling: 60_000 })).to.deep.equal([1, 2]);
    expect(service.pageCalls()).to.have.length(3);
  });

  it("takes heartbeats for life", async () => {
    await start();
    const reader = follow({ after: 0 }, { silence: 700 });
    const next = reader.next();
    await eventually(
      "a stream",
      async () => service.openStreams(),
      (open) => open === 1,
    );
    const beats = setInterval(() => service.write(": heartbeat\n\n"), 50);
    const later = setTimeout(() => service.tell(), 1_000);
    expect((await next).value.sequence).to.equal(1);
    clearInterval(beats);
    clearTimeout(later);
    await reader.return(undefined as never);
    expect(service.calls).to.have.length(1);
  });

  it("resumes after the position that the newest heartbeat names, though nothing was told", async () => {
    await start("nothing, then ended", "works");
    service.tell(5);
    const reader = follow({ after: 2 });
    const next = reader.next();
    await eventually(
      "the second stream",
      async () => service.openStreams(),
      (open) => open === 1,
    );
    expect(service.streamCalls().map(({ after }) => after)).to.deep.equal(["2", "5"]);
    service.tell();
    expect((await next).value.sequence).to.equal(6);
    await reader.return(undefined as never);
  });

  it("opens a stream that breaks as soon as it stands ever more rarely", async () => {
    await start("cut");
    const random = Math.random;
    // The longest pauses that there may be: 250, 500 and 1,000 ms.
    Math.random = () => 0.999;
    const controller = new AbortController();
    const ended = rejection(follow({ after: 0, signal: controller.signal }).next());
    const calls = async (count: number) => {
      await eventually(
        `${count} streams`,
        async () => service.streamCalls().length,
        (made) => made >= count,
      );
      return performance.now();
    };
    try {
      const second = await calls(2);
      expect((await calls(4)) - second).to.be.above(1_250);
    } finally {
      Math.random = random;
      controller.abort(new Error("enough"));
    }
    expect((await ended).message).to.equal("enough");
  });

  it("waits between streams that end at once, though the service asks for no pause", async () => {
    await start("ended");
    const controller = new AbortController();
    const reader = follow({ after: 0, signal: controller.signal }, { shortestRetry: 60_000 });
    const ended = rejection(reader.next());
    await eventually(
      "the end of a stream",
      async () => service.closed(),
      (closed) => closed === 1,
    );
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(service.streamCalls()).to.have.length(1);
    controller.abort(new Error("enough"));
    expect((await ended).message).to.equal("enough");
  });

  it("does not count the time that its reader takes as silence", async () => {
    await start();
    service.tell(2);
    const reader = follow({ after: 0 }, { silence: 100 });
    await take(reader, 1);
    await new Promise((resolve) => setTimeout(resolve, 250));
    expect(await take(reader, 1)).to.deep.equal([2]);
    await reader.return(undefined as never);
    expect(service.calls).to.have.length(1);
  });

  it("closes the connection when the loop is left", async () => {
    await start();
    service.tell();
    for await (const { sequence } of follow({ after: 0 })) {
      expect(sequence).to.equal(1);
      break;
    }
    await eventually(
      "the end of the stream",
      async () => service.closed(),
      (closed) => closed === 1,
    );
  });

  it("reads no further ahead than the connection does, however much comes", async () => {
    await start();
    service.tell(60_000);
    const reader = follow({ after: 0 }, { first: 10_000, silence: 10_000 });
    await take(reader, 1);
    await new Promise((resolve) => setTimeout(resolve, 500));
    // What was not read is still in the service's hands, which may end such a reader.
    service.cut();
    expect(await take(reader, 2)).to.deep.equal([2, 3]);
    await eventually(
      "another stream",
      async () => {
        await take(reader, 500);
        return service.streamCalls().length;
      },
      (streams) => streams >= 2,
    );
    expect(Number(service.streamCalls()[1]?.after)).to.be.below(30_000);
    await reader.return(undefined as never);
  });

  it("ends at once with the reason of its signal, wherever it waits", async () => {
    await start("works", "kept back", "unanswered", { refused: 503, code: "NOT_READY", retryAfter: "60" });
    for (const wait of [
      () =>
        eventually(
          "a stream",
          async () => service.openStreams(),
          (open) => open === 1,
        ),
      ...Array(3).fill(async () => undefined),
    ]) {
      const stop = new AbortController();
      const calls = service.calls.length;
      const next = rejection(follow({ after: 0, signal: stop.signal }, { first: 60_000 }).next());
      await eventually(
        "a call",
        async () => service.calls.length,
        (now) => now > calls,
      );
      await wait();
      stop.abort(new Error("enough"));
      expect((await next).message).to.equal("enough");
    }
    const already = follow({ signal: AbortSignal.abort("no") }).next();
    expect(await rejection(already)).to.equal("no");
    await eventually(
      "the end of all",
      async () => service.closed(),
      (closed) => closed === 4,
    );
  });

  it("ends with the reason of its signal before the next event, though that has come", async () => {
    for (const faults of [["works"], ["a page"]] as const) {
      await start(...faults);
      service.tell(20);
      const controller = new AbortController();
      const reader = follow({ after: 0, signal: controller.signal });
      expect(await take(reader, 1)).to.deep.equal([1]);
      controller.abort(new Error("enough"));
      expect((await rejection(reader.next())).message).to.equal("enough");
      if (faults[0] === "works") await service.stop();
    }
  });

  it("says that events are gone, that a position is of another log, or that it may not read", async () => {
    await start();
    service.tell(9);
    service.forgetBefore(5);
    for (const [after, code] of [
      [3, "EVENTS_GONE"],
      [10, "EVENT_AHEAD"],
    ] as const) {
      expect(await rejection(follow({ after }).next()))
        .to.be.instanceOf(RegistryError)
        .and.include({ code });
    }
    expect(await firstOf(1, { after: 4 })).to.deep.equal([5]);
    for (const [refused, code] of [
      [401, "API_KEY_INVALID"],
      [403, "KEY_SCOPE_TOO_NARROW"],
      [404, "TRANSACTION_NOT_FOUND"],
      [400, "INVALID_REQUEST"],
    ] as const) {
      service.faults.splice(0, 1, { refused, code });
      expect(await rejection(follow().next()))
        .to.be.instanceOf(RegistryError)
        .and.include({ code });
    }
  });

  it("gives up like any call where nothing ever answered, and never once something did", async () => {
    await start({ refused: 503, code: "NOT_READY" });
    expect(await rejection(follow().next())).to.include({ code: "NOT_READY" });
    expect(service.calls).to.have.length(3);
    const down = { refused: 503, code: "NOT_READY" };
    service.faults.splice(0, 1, "ended", ...Array<StreamFault>(3).fill(down), "works");
    service.tell();
    const states: EventConnection["state"][] = [];
    expect(await firstOf(1, { after: 0, onConnection: ({ state }) => states.push(state) })).to.deep.equal([
      1,
    ]);
    expect(states).to.deep.equal(["live", "lost", "live"]);
    await service.stop();
    expect(await rejection(follow().next())).to.be.instanceOf(ConnectionError);
  });

  it("refuses arguments that cannot be meant, and asks nothing", async () => {
    await start();
    for (const options of [
      { after: -1 },
      { after: 1.5 },
      { after: "7" as never },
      { interval: Number.NaN },
      { kinds: [] },
      { kinds: "request" as never },
    ]) {
      expect(await rejection(follow(options).next())).to.be.instanceOf(ArgumentError);
    }
    expect(service.calls).to.deep.equal([]);
  });

  it("gets the identity token anew for each stream", async () => {
    await start("one, then ended", "works");
    service.tell(2);
    const tokens = ["token-1", "token-2"];
    const client = createClient({ url: service.url, token: () => tokens.shift() ?? "" });
    const reader = client.events({ after: 0 });
    expect(await take(reader, 2)).to.deep.equal([1, 2]);
    await reader.return(undefined as never);
    expect(service.calls.map(({ headers }) => headers.authorization)).to.deep.equal([
      "Bearer token-1",
      "Bearer token-2",
    ]);
  });

  it("lists what the log holds, in pages, and ends", async () => {
    await start();
    service.tell(130);
    const client = createClient({ url: service.url });
    for (const [query, expected] of [
      [{}, upTo(130)],
      [{ size: 13 }, upTo(130)],
      [{ after: 100, kinds: ["link"], transactionId: "x" }, upTo(130, 101)],
      [{ after: 130 }, []],
    ] as const) {
      const found: number[] = [];
      for await (const { sequence } of client.listEvents(query)) found.push(sequence);
      expect(found).to.deep.equal(expected);
    }
    expect(service.calls.at(-3)?.path).to.equal("/events/?kinds=link&transactionId=x&after=100");
  });
});
